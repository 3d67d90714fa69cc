//! Text from outside as people may read it: a terminal shows it and does nothing else. What a runtime prints may hold
//! sequences that move the cursor, overwrite what stands above or change the window's title.

/// Control characters as Rust would write them, line breaks too, so that none breaks a line: `\u{1b}`, `\r`.
pub fn line(text: &str) -> String {
    shown(text, |c| c.is_control())
}

/// The same for a text of several lines: line breaks and tabs stay.
pub fn text(text: &str) -> String {
    shown(text, |c| c.is_control() && !matches!(c, '\n' | '\t'))
}

fn shown(text: &str, is_written_out: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_written_out(c) {
            shown.extend(c.escape_debug());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        let wild = "a\u{1b}[31m\r\nb\t\u{7f}\u{9b}2J\0é'\"\\\u{2192}";
        assert_eq!(
            line(wild),
            "a\\u{1b}[31m\\r\\nb\\t\\u{7f}\\u{9b}2J\\0é'\"\\\u{2192}"
        );
        assert_eq!(
            text(wild),
            "a\\u{1b}[31m\\r\nb\t\\u{7f}\\u{9b}2J\\0é'\"\\\u{2192}"
        );
    }
}
