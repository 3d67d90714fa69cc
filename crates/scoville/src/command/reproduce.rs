//! `scoville reproduce`.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use datil_sim::woelke_2018::{self, CALIBRATION, CLOSE};

use super::Exit;
use super::list::{print, table};

/// What to reproduce.
#[derive(Args, Clone, Debug)]
pub struct ReproduceArgs {
    /// The publication
    pub publication: Publication,
    /// Simulated runs per cell, each with a seed of its own
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub seeds: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Publications whose numbers can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Publication {
    /// Woelke, Optimizing Data Locality in CAF, 2018, chapter 6.
    #[value(name = "woelke-2018")]
    Woelke2018,
}

/// Prints what is published beside what is simulated.
pub fn run(arguments: &ReproduceArgs, out: &mut dyn Write) -> Result<Exit> {
    let Publication::Woelke2018 = arguments.publication;
    let rows = woelke_2018::reproduce(arguments.seeds).map_err(|reason| anyhow!(reason))?;
    if arguments.json {
        let value = serde_json::json!({
            "simulated": true,
            "publication": "woelke-2018",
            "seeds": arguments.seeds,
            "calibration": CALIBRATION,
            "close": CLOSE,
            "rows": rows,
        });
        writeln!(out, "{value}")?;
        return Ok(Exit::Good);
    }
    writeln!(
        out,
        "Woelke, Optimizing Data Locality in CAF, 2018, chapter 6: published beside simulated, nothing measured.\n\
         Ratios are of makespans; one comes out within {CLOSE} of the published one and on its side of 1.\n"
    )?;
    let mut shown = table();
    shown.set_header(["section", "statement", "published", "simulated", "verdict", "why"]);
    let mut verdicts = BTreeMap::new();
    for row in &rows {
        *verdicts.entry(row.verdict).or_insert(0) += 1;
        shown.add_row([
            row.place,
            &row.statement,
            &row.published,
            &row.simulated,
            row.verdict.text(),
            row.why,
        ]);
    }
    print(&shown, out)?;
    writeln!(out)?;
    for (verdict, count) in verdicts {
        writeln!(out, "{count:3} {}", verdict.text())?;
    }
    writeln!(out, "\nThe model was fitted to these points and to no others:")?;
    let mut fitted = table();
    fitted.set_header(["parameter", "fitted to"]);
    for (parameter, point) in CALIBRATION {
        fitted.add_row([parameter, point]);
    }
    print(&fitted, out)?;
    Ok(Exit::Good)
}
