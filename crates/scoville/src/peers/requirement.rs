//! Whether the programs that a runtime needs are there.

use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use super::program::{End, Printed, capture};
use crate::model::runtime::Requirement;

/// A program that only prints its version must be done by then; a cold virtual machine on a busy host takes seconds.
const LIMIT: Duration = Duration::from_secs(20);

/// What was found of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is there, in this version, where it printed one.
    Yes(Option<Version>),
    /// It cannot be used, for this reason.
    No(String),
    /// It was started and did not answer in time, for which installing it is no cure.
    Late(String),
}

/// A version as numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// The first version in a text: numbers joined by points. `"go version go1.26.8"` is 1.26.8. Colours are skipped:
    /// Maven prints some even into a file.
    pub fn find(text: &str) -> Option<Self> {
        let text = &without_colours(text);
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let rest = &text[start..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let numbers = rest[..end].split('.').filter(|part| !part.is_empty());
        numbers
            .map(|part| part.parse().ok())
            .collect::<Option<Vec<u64>>>()
            .map(Self)
    }

    /// Whether it is at least `minimum`; numbers that are missing count as 0.
    pub fn reaches(&self, minimum: &Version) -> bool {
        let length = self.0.len().max(minimum.0.len());
        let padded = |version: &Version| -> Vec<u64> {
            (0..length)
                .map(|i| version.0.get(i).copied().unwrap_or(0))
                .collect()
        };
        padded(self) >= padded(minimum)
    }
}

/// The text without the escape sequences of terminals, `ESC [ ... letter`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| {
        plain
            + part
                .trim_start_matches(|c: char| !c.is_ascii_alphabetic())
                .get(1..)
                .unwrap_or("")
    })
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        write!(f, "{}", numbers.join("."))
    }
}

/// Asks the program.
pub fn detect(requirement: &Requirement) -> Found {
    detect_within(requirement, LIMIT)
}

fn detect_within(requirement: &Requirement, limit: Duration) -> Found {
    let Some((program, arguments)) = requirement.program.split_first() else {
        return Found::No("the manifest names no program".into());
    };
    let answer = capture(program, arguments, limit);
    let printed = match answer {
        Ok((End::Exited(status), printed)) if status.success() => printed,
        Ok((End::Exited(status), Printed { output, errors })) => {
            let said = errors
                .lines()
                .chain(output.lines())
                .find(|line| !line.trim().is_empty())
                .unwrap_or("nothing");
            return Found::No(format!("{program} ended with {status} and said: {said}"));
        }
        Ok((End::TimedOut, _)) => {
            return Found::Late(format!(
                "{program} did not answer within {} s: run again when the machine is less busy",
                limit.as_secs()
            ));
        }
        Err(e) if e.kind() == ErrorKind::NotFound => return Found::No(format!("{program} is not installed")),
        Err(e) => return Found::No(format!("{program} cannot be started: {e}")),
    };
    // Some print it as an error. But where an answer is in the usual place, a number elsewhere is no version: of options that
    // are in its environment a virtual machine says so there.
    let version = Version::find(&printed.output).or_else(|| Version::find(&printed.errors));
    compare(requirement, program, version)
}

fn compare(requirement: &Requirement, program: &str, version: Option<Version>) -> Found {
    let Some(minimum) = requirement.minimum.as_deref().and_then(Version::find) else {
        return Found::Yes(version);
    };
    match version {
        Some(version) if version.reaches(&minimum) => Found::Yes(Some(version)),
        Some(version) => Found::No(format!(
            "{program} is version {version}, at least {minimum} is needed"
        )),
        None => Found::No(format!(
            "{program} printed no version, at least {minimum} is needed"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::find(text).expect("there is a version")
    }

    #[test]
    fn finds_the_first_version() {
        assert_eq!(version("go version go1.26.8 linux/amd64").to_string(), "1.26.8");
        assert_eq!(version("25").to_string(), "25");
        assert_eq!(version("openjdk 17.0.2 2022-01-18").to_string(), "17.0.2");
        assert_eq!(version("ends with 3.").to_string(), "3");
        assert_eq!(
            version("\u{1b}[1mApache Maven 3.8.7\u{1b}[m").to_string(),
            "3.8.7"
        );
        assert_eq!(Version::find("\u{1b}[31mnone\u{1b}[0m"), None);
    }

    #[test]
    fn compares_number_by_number() {
        assert!(version("1.10").reaches(&version("1.9")));
        assert!(version("17").reaches(&version("17.0")));
        assert!(!version("0.17.6").reaches(&version("0.18")));
        assert!(!version("9").reaches(&version("11")));
    }

    fn requirement(script: &str, minimum: Option<&str>) -> Requirement {
        Requirement {
            program: ["sh", "-c", script].map(String::from).to_vec(),
            minimum: minimum.map(String::from),
            install: String::new(),
        }
    }

    #[test]
    fn a_program_that_hangs_is_late_and_not_missing() {
        let asked = Requirement {
            program: ["sleep", "60"].map(String::from).to_vec(),
            minimum: None,
            install: "never said".into(),
        };
        let message = "sleep did not answer within 0 s: run again when the machine is less busy";
        assert_eq!(detect_within(&asked, Duration::ZERO), Found::Late(message.into()));
    }

    #[test]
    fn says_what_is_wrong() {
        let found = |script, minimum| detect(&requirement(script, minimum));
        assert_eq!(
            found("echo v2.5 >&2", Some("2.4")),
            Found::Yes(Some(version("2.5")))
        );
        assert_eq!(found("true", None), Found::Yes(None));
        let options = "echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx1g' >&2; echo openjdk 17.0.2";
        assert_eq!(found(options, Some("17")), Found::Yes(Some(version("17.0.2"))));
        let cases = [
            ("echo 2.3", "sh is version 2.3, at least 2.4 is needed"),
            ("true", "sh printed no version, at least 2.4 is needed"),
            (
                "echo broken; exit 3",
                "sh ended with exit status: 3 and said: broken",
            ),
            (
                "echo help; echo broken >&2; exit 3",
                "sh ended with exit status: 3 and said: broken",
            ),
        ];
        for (script, message) in cases {
            assert_eq!(found(script, Some("2.4")), Found::No(message.into()));
        }
        let missing = Requirement {
            program: vec!["no-such-program-at-all".into()],
            ..requirement("", None)
        };
        assert_eq!(
            detect(&missing),
            Found::No("no-such-program-at-all is not installed".into())
        );
        for no_program in ["/etc/passwd", "/"] {
            let asked = Requirement {
                program: vec![no_program.into()],
                ..requirement("", None)
            };
            let message = format!("{no_program} cannot be started: Permission denied (os error 13)");
            assert_eq!(detect(&asked), Found::No(message));
        }
    }
}
