//! `scoville completions` and `scoville man`.

use std::io::Write;

use anyhow::Result;
use clap_complete::Shell;

use super::Exit;

/// Writes a completion script.
pub fn shell(shell: Shell, command: &mut clap::Command, mut out: &mut dyn Write) -> Result<Exit> {
    clap_complete::generate(shell, command, "scoville", &mut out);
    Ok(Exit::Good)
}

/// Writes the manual page, with a section for each command.
pub fn man(command: clap::Command, out: &mut dyn Write) -> Result<Exit> {
    clap_mangen::Man::new(command.clone()).render(out)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = sub.get_name();
        writeln!(out, ".SH \"SCOVILLE {}\"", name.to_uppercase())?;
        let man = clap_mangen::Man::new(sub.clone().display_name(format!("scoville {name}")));
        man.render_synopsis_section_body(out)?;
    }
    Ok(Exit::Good)
}
