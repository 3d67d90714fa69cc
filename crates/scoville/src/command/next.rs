//! Commands that a user is advised to type next.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::RESULTS;
use super::world::World;
use crate::home::Home;

/// `scoville` with these arguments, about the checkout and the results that this command is about.
pub fn command(world: &World, arguments: &str) -> String {
    let mut line = format!("scoville {arguments}");
    let found = Home::find(None).ok();
    if let Some(root) = world
        .home
        .root
        .as_ref()
        .filter(|_| found.as_ref() != Some(&world.home))
    {
        line += &format!(" --home {}", word(root));
    }
    if world.results != Path::new(RESULTS) {
        line += &format!(" --results {}", word(&world.results));
    }
    line
}

/// A word as a shell takes it.
pub fn word(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:,@%+".contains(byte);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.as_bytes().iter().all(is_plain) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        // What is no text can only be told byte by byte.
        None => format!("$'{}'", word.as_bytes().escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::process::Command;

    #[test]
    fn a_shell_reads_what_was_meant() {
        let words: [&[u8]; 9] = [
            b"plain-1.0/a:b,c@d%e+f",
            b"two words",
            b"it's",
            b"$HOME `id` \"x\" \\ * ~ #",
            b"",
            b"~",
            b"line\nbreak",
            "größer".as_bytes(),
            b"odd\xff'\\\n1",
        ];
        for bytes in words {
            let quoted = word(OsStr::from_bytes(bytes));
            let script = format!("printf %s {quoted}");
            let output = Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(output.stdout, bytes, "{quoted}");
        }
        assert_eq!(word("plain-1.0/a:b"), "plain-1.0/a:b");
        assert_eq!(word("two words"), "'two words'");
    }
}
