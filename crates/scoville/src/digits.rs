//! Digits as people read them: three significant ones, thousands apart.

/// Three significant digits, without an exponent between 0.001 and 10^6; thousands are separated by narrow spaces, at which no
/// line is broken.
pub fn significant(x: f64) -> String {
    let magnitude = x.abs();
    if !x.is_finite() {
        return "?".into();
    }
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{x:.2e}");
    }
    // 9.996 has one digit before the point but prints as 10.0, so the digits are counted after rounding.
    let before = (format!("{magnitude:.2e}").rsplit('e').next())
        .and_then(|e| e.parse::<i32>().ok())
        .unwrap_or(0);
    let decimals = (2 - before).clamp(0, 5) as usize;
    grouped(&format!("{x:.decimals$}"))
}

/// An integer with narrow spaces between thousands.
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// How many there are, with the noun in its number: `1 core`, `8 cores`.
pub fn number_of(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

/// How many do something: `1 core is busy`, `8 cores are busy`. `does` is what one and what several of them do.
pub fn number_doing(n: usize, noun: &str, does: [&str; 2]) -> String {
    let [one, several] = does;
    format!("{} {}", number_of(n, noun), if n == 1 { one } else { several })
}

fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |w| ("-", w));
    if whole.len() < 5 {
        return digits.to_string();
    }
    let mut out = String::from(sign);
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_and_a_verb_have_the_number_of_what_is_counted() {
        let told = [0, 1, 2].map(|n| number_doing(n, "cell", ["has", "have"]));
        assert_eq!(told, ["0 cells have", "1 cell has", "2 cells have"]);
    }

    #[test]
    fn three_digits_at_every_size() {
        let cases = [
            (0.0, "0"),
            (0.00123, "0.00123"),
            (0.7123, "0.712"),
            (1.934, "1.93"),
            (9.996, "10.0"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1234.4, "1234"),
            (12345.0, "12\u{202f}345"),
            (-12345.0, "-12\u{202f}345"),
            (1.5e7, "1.50e7"),
            (f64::NAN, "?"),
        ];
        for (x, text) in cases {
            assert_eq!(significant(x), text, "{x}");
        }
    }
}
