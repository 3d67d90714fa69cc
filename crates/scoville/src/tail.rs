//! What a program prints: thrown away but for the end.

use std::collections::VecDeque;

/// How much is kept, bytes.
const KEPT: usize = 64 * 1024;

/// The end of a stream of bytes.
#[derive(Debug, Default)]
pub struct Tail {
    kept: VecDeque<u8>,
    total: u64,
}

impl Tail {
    /// More bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let new = &bytes[bytes.len().saturating_sub(KEPT)..];
        let surplus = (self.kept.len() + new.len()).saturating_sub(KEPT);
        self.kept.drain(..surplus.min(self.kept.len()));
        self.kept.extend(new);
    }

    /// All bytes that ever came.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What is kept, as text.
    pub fn text(&self) -> String {
        self.since(0)
    }

    /// What is kept of the bytes that came after the first `total`, as text.
    pub fn since(&self, total: u64) -> String {
        let wanted = usize::try_from(self.total.saturating_sub(total)).unwrap_or(usize::MAX);
        let skipped = self.kept.len().saturating_sub(wanted);
        let bytes: Vec<u8> = self.kept.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The last lines of a text, at most so many and no empty ones, each indented on a line of its own: the end of a message.
pub fn last_lines(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(most)..];
    last.iter()
        .map(|line| format!("\n    {}", line.trim_end()))
        .collect()
}

/// The last line of a text that is not empty.
pub fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_those_that_say_something() {
        let text = "one\n  two \n\n \nthree\n\n";
        assert_eq!(last_lines(text, 2), "\n      two\n    three");
        assert_eq!(last_lines(text, 9), "\n    one\n      two\n    three");
        assert_eq!(last_lines(" \n", 9), "");
        assert_eq!(last_line(text), Some("three"));
        assert_eq!(last_line("\n"), None);
    }

    #[test]
    fn the_last_bytes_are_kept() {
        let mut tail = Tail::default();
        tail.push(b"first ");
        let mark = tail.total();
        tail.push(b"second");
        assert_eq!(tail.text(), "first second");
        assert_eq!(tail.since(mark), "second");
        tail.push(&vec![b'x'; KEPT - 3]);
        assert_eq!(tail.text().len(), KEPT);
        assert!(tail.text().starts_with("ondx"));
        tail.push(&vec![b'y'; 3 * KEPT]);
        assert_eq!(tail.text(), "y".repeat(KEPT));
        assert_eq!(tail.total(), 12 + (KEPT as u64 - 3) + 3 * KEPT as u64);
    }

    #[test]
    fn broken_text_is_replaced() {
        let mut tail = Tail::default();
        tail.push(&[b'a', 0xff, b'b']);
        assert_eq!(tail.text(), "a\u{fffd}b");
    }
}
