//! `scoville report`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::world::World;
use super::{Exit, judged, next, sessions};
use crate::model::analysis::Analysis;

/// Name of the page in a session's folder.
const PAGE: &str = "report.html";

/// Writes the page of a session.
pub fn run(world: &World, session: Option<&str>, open: bool, out: &mut dyn Write) -> Result<Exit> {
    let folder = sessions::find(&world.results, session)?;
    let analysis = judged::analyse(world, &folder)?;
    let page = write(world, &analysis, &folder)?;
    writeln!(out, "{}", page.display())?;
    if open {
        show(&page)?;
    }
    Ok(Exit::Good)
}

/// Writes the page into the session's folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write(world: &World, analysis: &Analysis, folder: &Path) -> Result<PathBuf> {
    let page = folder.join(PAGE);
    let html = crate::render::html::render(analysis);
    // Half a page must neither be taken for the report nor replace an older one.
    let unfinished = folder.join(format!(".{PAGE}"));
    let written = fs::write(&unfinished, html).and_then(|()| fs::rename(&unfinished, &page));
    written
        .inspect_err(|_| drop(fs::remove_file(&unfinished)))
        .with_context(|| {
            format!(
                "cannot write {}; the results are kept: mend what follows, then: {}",
                page.display(),
                next::command(
                    world,
                    &format!("report {}", sessions::typed(&world.results, folder))
                )
            )
        })?;
    Ok(page)
}

fn show(page: &Path) -> Result<()> {
    let browser = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(browser);
    command.arg(page).stdout(Stdio::null()).stderr(Stdio::null());
    let yourself = format!("open the page yourself: {}", page.display());
    let status = command
        .status()
        .with_context(|| format!("cannot start {browser}; {yourself}"))?;
    ensure!(status.success(), "{browser} ended with {status}; {yourself}");
    Ok(())
}
