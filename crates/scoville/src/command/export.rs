//! `scoville export`.

use std::fs;
use std::io::Write;

use anyhow::Result;

use super::args::{ExportArgs, Format};
use super::world::World;
use super::{Exit, judged, sessions};
use crate::log;
use crate::model::analysis::Measure;
use crate::render::{bencher, benchstat, csv, json, junit, markdown};

/// Writes a session in another format.
pub fn run(world: &World, arguments: &ExportArgs, out: &mut dyn Write) -> Result<Exit> {
    let folder = sessions::find(&world.results, arguments.session.as_deref())?;
    if arguments.format == Format::Jsonl {
        out.write_all(&fs::read(folder.join(log::FILE))?)?;
        return Ok(Exit::Good);
    }
    let analysis = judged::analyse(world, &folder)?;
    let text = match arguments.format {
        Format::Json => json::render(&analysis)?,
        Format::Csv => csv::invocations(&analysis),
        Format::CsvIterations => csv::iterations(&analysis),
        Format::CsvGrowth => csv::growth(&analysis),
        Format::Markdown => markdown::render(&analysis, Measure::Wall),
        Format::Benchstat => benchstat::render(&analysis),
        Format::Bencher => bencher::render(&analysis)?,
        Format::Junit => junit::render(&analysis),
        Format::Jsonl => unreachable!("written above"),
    };
    out.write_all(text.as_bytes())?;
    Ok(Exit::Good)
}
