//! `scoville completions` and `scoville man`.

use std::io::Write;

use anyhow::Result;
use clap_complete::Shell;

use super::Exit;

/// Writes a completion script.
pub fn shell(shell: Shell, command: &mut clap::Command, out: &mut dyn Write) -> Result<Exit> {
    // Into memory first, since it panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "scoville", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Good)
}

/// Writes the manual page: what clap makes of the whole, and each command's help as a section.
pub fn man(mut command: clap::Command, out: &mut dyn Write) -> Result<Exit> {
    command.build();
    clap_mangen::Man::new(command.clone()).render(out)?;
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set()) {
        writeln!(out, ".SH \"SCOVILLE {}\"\n.nf", sub.get_name().to_uppercase())?;
        for line in sub.render_long_help().to_string().lines() {
            writeln!(out, "{}", escaped(line))?;
        }
        writeln!(out, ".fi")?;
    }
    Ok(Exit::Good)
}

/// A line of text that roff prints as it is.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) {
        format!("\\&{line}")
    } else {
        line
    }
}
