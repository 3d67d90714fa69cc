//! The two streams that people read. Nobody has to read them to the end: `scoville run | head` measures everything, writes
//! the report and keeps its status.

use std::fmt::Display;
use std::io::{self, Write};

use crate::plain;

/// Where a command's text goes. Control characters are written out, since much of the text comes from runtimes.
pub trait Paper: Write {
    /// A text in the laboratory's own colours, which has nothing else that steers a terminal.
    fn coloured(&mut self, text: &str) -> io::Result<()>;
}

/// Standard output. What is written after its reader has gone is dropped; any other failure says what could not be written.
pub struct Output<W> {
    to: W,
    verbatim: bool,
}

impl<W: Write> Output<W> {
    /// Writes to `to` for people.
    pub fn new(to: W) -> Self {
        Self { to, verbatim: false }
    }

    /// Writes to `to` for programs: every byte is kept.
    pub fn verbatim(to: W) -> Self {
        Self { to, verbatim: true }
    }
}

impl<W: Write> Paper for Output<W> {
    fn coloured(&mut self, text: &str) -> io::Result<()> {
        unless_closed(self.to.write_all(text.as_bytes()), ())
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.verbatim {
            return unless_closed(self.to.write(bytes), bytes.len());
        }
        unless_closed(self.to.write_all(plain(bytes).as_bytes()), ())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.to.flush(), ())
    }
}

/// What is written in one piece is whole text.
fn plain(bytes: &[u8]) -> String {
    plain::text(&String::from_utf8_lossy(bytes))
}

fn unless_closed<T>(result: io::Result<T>, dropped: T) -> io::Result<T> {
    result.or_else(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => Ok(dropped),
        // The callers go on after it, or give up.
        io::ErrorKind::Interrupted => Err(e),
        kind => Err(io::Error::new(
            kind,
            format!("standard output cannot be written: {e}"),
        )),
    })
}

/// Standard error, for what is good to know and changes no result: that it cannot be written stops nothing. Control characters
/// are written out.
pub struct Remarks;

impl Write for Remarks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(plain(bytes).as_bytes());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line of remarks.
pub fn remark(line: impl Display) {
    // In one piece, so that no other thread's line comes between.
    let _ = Remarks.write_all(format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails in its own way.
    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn people_see_control_characters_and_programs_get_them() {
        let text = "a\u{1b}]0;b\u{7}\r\n\u{9b}\t\u{e9}\n";
        let written = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = Vec::new();
            write(&mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(
            written(&|to| Output::new(to).write_all(text.as_bytes()).unwrap()),
            "a\\u{1b}]0;b\\u{7}\\r\n\\u{9b}\t\u{e9}\n"
        );
        assert_eq!(
            written(&|to| Output::verbatim(to).write_all(text.as_bytes()).unwrap()),
            text
        );
        let red = "\u{1b}[31mred\u{1b}[0m\n";
        assert_eq!(written(&|to| Output::new(to).coloured(red).unwrap()), red);
    }

    #[test]
    fn only_a_reader_that_has_gone_is_no_failure() {
        let mut gone = Output::new(Broken(io::ErrorKind::BrokenPipe));
        gone.write_all(b"text").unwrap();
        gone.flush().unwrap();
        let mut full = Output::new(Broken(io::ErrorKind::StorageFull));
        for failure in [full.write_all(b"text"), full.flush()] {
            let failure = failure.unwrap_err();
            assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
            assert!(
                failure
                    .to_string()
                    .starts_with("standard output cannot be written: ")
            );
        }
    }
}
