//! Patterns of names.

/// Whether `name` matches `pattern`, in which `*` stands for any text and `?` for one character.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // reach[j]: the pattern so far matches the first j characters of the name.
    let mut reach = vec![false; name.len() + 1];
    reach[0] = true;
    for &p in &pattern {
        if p == '*' {
            for j in 1..=name.len() {
                reach[j] |= reach[j - 1];
            }
        } else {
            for j in (1..=name.len()).rev() {
                reach[j] = reach[j - 1] && (p == '?' || p == name[j - 1]);
            }
            reach[0] = false;
        }
    }
    reach[name.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, expected) in [
            ("fib", "fib", true),
            ("fib", "fibs", false),
            ("fj*", "fjcreate", true),
            ("*r*", "threadring", true),
            ("*", "", true),
            ("f?b", "fib", true),
            ("f?b", "fb", false),
            ("*ng*ng", "pingpong", true),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
