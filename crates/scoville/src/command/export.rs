//! `scoville export`.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use super::args::{ExportArgs, Format};
use super::world::World;
use super::{Exit, judged, sessions};
use crate::log;
use crate::model::analysis::{Analysis, Measure};
use crate::render::{bencher, benchstat, csv, json, junit, markdown, vega};

/// Name of the folder for figures in a session's folder.
const FIGURES: &str = "figures";

/// Writes a session in another format.
pub fn run(world: &World, arguments: &ExportArgs, out: &mut dyn Write) -> Result<Exit> {
    ensure!(
        arguments.to.is_none() || arguments.format == Format::VegaLite,
        "--to is the folder for the figures of --format vega-lite; the other formats are one text, so write: > FILE"
    );
    let folder = sessions::find(&world.results, arguments.session.as_deref())?;
    if arguments.format == Format::Jsonl {
        out.write_all(&fs::read(folder.join(log::FILE))?)?;
        return Ok(Exit::Good);
    }
    let analysis = judged::analyse(world, &folder)?;
    let text = match arguments.format {
        Format::Json => json::render(&analysis)? + "\n",
        Format::Csv => csv::invocations(&analysis),
        Format::CsvIterations => csv::iterations(&analysis),
        Format::CsvGrowth => csv::growth(&analysis),
        Format::Markdown => markdown::render(&analysis, Measure::Wall),
        Format::Benchstat => benchstat::render(&analysis),
        Format::Bencher => bencher::render(&analysis)? + "\n",
        Format::Junit => junit::render(&analysis),
        Format::VegaLite => {
            let to = arguments.to.clone().unwrap_or_else(|| folder.join(FIGURES));
            figures(&analysis, &to)?
        }
        Format::Jsonl => unreachable!("written above"),
    };
    out.write_all(text.as_bytes())?;
    Ok(Exit::Good)
}

/// Writes each figure into a file of its own; returns the files' paths, one per line.
fn figures(analysis: &Analysis, folder: &Path) -> Result<String> {
    let figures = vega::render(analysis, Measure::Wall)?;
    if figures.is_empty() {
        bail!("nothing was measured in this session that a figure could show");
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut paths = String::new();
    for (name, specification) in figures {
        let path = folder.join(name);
        fs::write(&path, specification + "\n").with_context(|| format!("cannot write {}", path.display()))?;
        paths += &format!("{}\n", path.display());
    }
    Ok(paths)
}
