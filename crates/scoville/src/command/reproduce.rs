//! `scoville reproduce`.

mod figures;
mod thesis;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use datil_sim::Watch;
use datil_sim::acceptance::{
    self, ABLATED, Acceptance, BASELINE, Check, Outcome, ProgramRow, RULE, Ratio, SURE,
};

use super::Exit;
use super::list::{print, table};
use super::progress::{over_runs, watch};
use super::simulate::{check_page, write_page};
use crate::digits::number_of;
use crate::render::field::Field;
use crate::render::html::simulation::{Figure, Page, Section, Table};

/// What to reproduce.
#[derive(Args, Clone, Debug)]
pub struct ReproduceArgs {
    /// What was published or claimed
    pub publication: Publication,
    /// Simulated runs per cell, each with a seed of its own
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub seeds: u64,
    /// Print JSON, which docs/scheduling.md describes, with the data of all figures
    #[arg(long)]
    pub json: bool,
    /// Write a page into this file: every figure, what is published beside what is simulated, and tables
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Numbers that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Publication {
    /// Woelke, Optimizing Data Locality in CAF, 2018, chapter 6, its numbers and figures; about half a minute of processor time
    /// for each seed.
    #[value(name = "woelke-2018")]
    Woelke2018,
    /// What is asked of the policy adaptive-locality, under changed conditions too, and what each of its terms is worth; tens of minutes.
    #[value(name = "adaptive-locality")]
    AdaptiveLocality,
}

/// Prints what is published, or asked for, beside what is simulated.
pub fn run(arguments: &ReproduceArgs, out: &mut dyn Write) -> Result<Exit> {
    check_page(arguments.html.as_deref())?;
    match arguments.publication {
        Publication::Woelke2018 => thesis::run(arguments, out),
        Publication::AdaptiveLocality => adaptive(arguments, out),
    }
}

/// Simulates with a bar on a terminal, which is gone when the result is printed.
fn watched<T>(simulate: impl FnOnce(Watch) -> Result<T, String>) -> Result<T> {
    let bar = over_runs();
    let result = simulate(watch(&bar));
    bar.finish_and_clear();
    result.map_err(|reason| anyhow!(reason))
}

/// What one seed cannot tell, as a sentence that follows another.
fn doubt(seeds: u64) -> &'static str {
    if seeds > 1 {
        ""
    } else {
        " With a single seed nothing is known of chance: a verdict may be another one with the next."
    }
}

fn show(header: &[&str], rows: impl Iterator<Item = Vec<Field>>, out: &mut dyn Write) -> Result<()> {
    let mut shown = table();
    shown.set_header(header);
    for row in rows {
        shown.add_row(row.into_iter().map(|field| field.text));
    }
    print(&shown, out)
}

fn section(
    title: &str,
    text: String,
    figure: Option<Figure>,
    header: &[&str],
    rows: Vec<Vec<Field>>,
) -> Section {
    Section {
        title: title.to_owned(),
        text,
        figure,
        table: Table::new(header, rows),
        numbers: None,
    }
}

// ---- adaptive-locality -----------------------------------------------------------------------------------------

fn adaptive(arguments: &ReproduceArgs, out: &mut dyn Write) -> Result<Exit> {
    let acceptance = watched(|watch| acceptance::accept(arguments.seeds, watch))?;
    show_acceptance(&acceptance, arguments.json, out)?;
    write_page(arguments.html.as_deref(), || acceptance_page(&acceptance))?;
    Ok(Exit::Good)
}

fn show_acceptance(acceptance: &Acceptance, json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        writeln!(out, "{}", serde_json::to_string(acceptance)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "{RULE}: what is asked of it beside what is simulated, nothing measured.\n"
    )?;
    for part in acceptance_sections(acceptance) {
        writeln!(out, "{}. {}", part.title, part.text)?;
        let header: Vec<&str> = part.table.header.iter().map(String::as_str).collect();
        show(&header, part.table.rows.into_iter(), out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn acceptance_page(acceptance: &Acceptance) -> Page {
    Page {
        title: format!("{RULE}: asked for and simulated"),
        method: format!(
            "Machine opteron, {} per cell, makespans by those of {BASELINE}.",
            number_of(acceptance.seeds as usize, "seed")
        ),
        sections: acceptance_sections(acceptance),
    }
}

fn acceptance_sections(acceptance: &Acceptance) -> Vec<Section> {
    let checks = acceptance.checks.iter().map(|check| {
        vec![
            check.statement.as_str().into(),
            Field::of(check.limit, format!("{:.2}", check.limit)),
            of_mean(check.worst.1, doubtful),
            check.worst.0.as_str().into(),
            verdict(check.outcome).into(),
        ]
    });
    let conditions = acceptance.conditions.iter().map(|row| {
        let (program, worst) = &row.messages;
        let numbers = [row.continuous, row.blockwise, row.with_os].map(|ratio| of_mean(ratio, doubtful));
        let worst = of_mean(*worst, |ratio| format!("{} ({program})", doubtful(ratio)));
        let ends = [worst, of_mean(row.geomean, doubtful)];
        let name = Field::from(row.condition);
        [name].into_iter().chain(numbers).chain(ends).collect()
    });
    let means = acceptance
        .geomeans
        .iter()
        .map(|(policy, mean)| vec![(*policy).into(), of_mean(*mean, doubtful)]);
    vec![
        section(
            "What is asked",
            asked(acceptance),
            None,
            &["makespan of", "limit", "worst", "where", "verdict"],
            checks.collect(),
        ),
        programs_section(acceptance),
        ablation_section(acceptance),
        section(
            "Other conditions, 64 workers",
            "The machine is changed in one respect at a time.".to_owned(),
            None,
            &[
                "condition",
                "Matrix Search",
                "block-wise",
                "with os, by cls",
                "worst program that mostly sends",
                "geometric mean",
            ],
            conditions.collect(),
        ),
        section(
            "Geometric means over all programs, 64 workers",
            "Programs held out are left aside.".to_owned(),
            None,
            &["policy", "geometric mean"],
            means.collect(),
        ),
    ]
}

fn asked(acceptance: &Acceptance) -> String {
    let doubts = acceptance.checks.iter().filter_map(named);
    let text = format!(
        "Geometric means over {} seeds or more, with standard errors; of each limit, the value that is the worst even if \
         chance was against it. A limit is kept, or exceeded, if two and a half standard errors lie between; cells of \
         which neither can be said are simulated with more seeds, up to 32 times as many.",
        acceptance.seeds * SURE
    );
    [text].into_iter().chain(doubts).collect::<Vec<_>>().join(" ")
}

/// What is not kept, by name.
fn named(check: &Check) -> Option<String> {
    let list = |cells: &[(String, Ratio)]| {
        let names = cells
            .iter()
            .map(|(at, ratio)| format!("{at} {}", doubtful(*ratio)));
        names.collect::<Vec<_>>().join("; ")
    };
    let parts = [
        (Outcome::Broken, &check.broken),
        (Outcome::Undecided, &check.undecided),
    ];
    let found = parts.into_iter().filter(|(_, cells)| !cells.is_empty());
    let texts: Vec<String> = found
        .map(|(outcome, cells)| format!("{}: {}.", verdict(outcome), list(cells)))
        .collect();
    (!texts.is_empty()).then(|| format!("({}) {}", check.statement, texts.join(" ")))
}

fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "kept",
        Outcome::Undecided => "undecided",
        Outcome::Broken => "exceeded",
    }
}

fn programs_section(acceptance: &Acceptance) -> Section {
    let own = |row: &ProgramRow| {
        row.ratios
            .iter()
            .find(|(policy, _)| *policy == RULE)
            .map(|(_, ratio)| *ratio)
    };
    let mut names: Vec<&ProgramRow> = acceptance.programs.iter().collect();
    names.dedup_by(|a, b| a.program == b.program);
    let at = |program: &str, workers: usize| {
        let mut rows = acceptance.programs.iter();
        rows.find(|row| row.program == program && row.workers == workers)
            .and_then(own)
    };
    let workers = [16, 32, 64];
    let kind = |row: &ProgramRow| {
        format!("{:?}{}", row.nature, if row.held_out { ", held out" } else { "" }).to_lowercase()
    };
    let figure = Figure::Dots {
        axis: format!("makespan by that of {BASELINE}"),
        series: workers.map(|workers| format!("{workers} workers")).to_vec(),
        rows: names
            .iter()
            .map(|row| {
                (
                    row.program.clone(),
                    workers
                        .map(|workers| at(&row.program, workers).map(|ratio| ratio.mean))
                        .to_vec(),
                )
            })
            .collect(),
    };
    let rows = names.iter().map(|row| {
        let cells = workers.map(|workers| ranged(at(&row.program, workers)));
        let names = [row.program.as_str().into(), kind(row).into()];
        names.into_iter().chain(cells).collect()
    });
    section(
        "Program by program",
        "Geometric means over the seeds with standard errors, and from the least to the most of one seed."
            .to_owned(),
        Some(figure),
        &[
            "program",
            "time goes into",
            "16 workers",
            "32 workers",
            "64 workers",
        ],
        rows.collect(),
    )
}

fn ablation_section(acceptance: &Acceptance) -> Section {
    let policies: Vec<&str> = [RULE].into_iter().chain(ABLATED).collect();
    let rows: Vec<&ProgramRow> = acceptance
        .programs
        .iter()
        .filter(|row| row.workers == 64)
        .collect();
    let find = |row: &ProgramRow, policy: &str| {
        let mut ratios = row.ratios.iter();
        ratios.find(|(name, _)| *name == policy).map(|(_, ratio)| *ratio)
    };
    let short = |policy: &str| {
        policy
            .replace("adaptive-locality-", "")
            .replace("adaptive-locality", "all terms")
    };
    let header: Vec<String> = policies.iter().map(|policy| short(policy)).collect();
    let header: Vec<&str> = ["program"]
        .into_iter()
        .chain(header.iter().map(String::as_str))
        .collect();
    let figure = Figure::Dots {
        axis: format!("makespan by that of {BASELINE}, 64 workers"),
        series: policies.iter().map(|policy| short(policy)).collect(),
        rows: rows
            .iter()
            .map(|row| {
                (
                    row.program.clone(),
                    policies
                        .iter()
                        .map(|policy| find(row, policy).map(|ratio| ratio.mean))
                        .collect(),
                )
            })
            .collect(),
    };
    let cells = rows.iter().map(|row| {
        let ratios = policies.iter().map(|policy| ranged(find(row, policy)));
        let name = Field::from(row.program.as_str());
        [name].into_iter().chain(ratios).collect()
    });
    section(
        "Term by term, 64 workers",
        format!(
            "Without one term each, and the controls that pin every class or those with long messages; {BASELINE} is the control that pins none."
        ),
        Some(figure),
        &header,
        cells.collect(),
    )
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// With its standard error, if there is one.
fn doubtful(ratio: Ratio) -> String {
    let Ratio { mean, error, .. } = ratio;
    if error.is_nan() {
        number(mean)
    } else {
        format!("{mean:.3} ± {error:.3}")
    }
}

fn range(ratio: Ratio) -> String {
    let Ratio { least, most, .. } = ratio;
    if number(least) == number(most) {
        number(least)
    } else {
        format!("{} ({least:.3}-{most:.3})", doubtful(ratio))
    }
}

/// What is said of a ratio, sorted by its mean.
fn of_mean(ratio: Ratio, say: impl Fn(Ratio) -> String) -> Field {
    Field::of(ratio.mean, say(ratio))
}

/// With its range; nothing where it was not simulated.
fn ranged(ratio: Option<Ratio>) -> Field {
    ratio.map_or_else(|| "".into(), |ratio| of_mean(ratio, range))
}
