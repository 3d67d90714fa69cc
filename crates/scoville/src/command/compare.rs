//! `scoville compare`.

use std::io::Write;

use anyhow::{Result, bail};

use super::args::CompareArgs;
use super::list::{print, table};
use super::progress::place;
use super::world::World;
use super::{Exit, judged, sessions};
use crate::judge::{across_sessions, differences, in_one_only, of_other_work, without_ratio};
use crate::model::analysis::{Analysis, Cell, CellState, Estimate, Measure, Verdict};
use crate::model::plan::GroupKey;
use crate::render::{number, words};
use crate::suggest;

/// One line of a comparison.
struct Line {
    what: String,
    ratio: Estimate,
    sign: String,
    verdict: Verdict,
    /// `11/12` of A and of B, where some invocations failed.
    partly: [String; 2],
    /// Why it is marked.
    marked: Option<String>,
}

impl Line {
    /// The sign, and what is left of a side that lost invocations.
    fn signs(&self) -> String {
        let sides = ["A", "B"].iter().zip(&self.partly);
        let left = sides.filter(|(_, partly)| !partly.is_empty());
        let left = left.map(|(side, partly)| format!("{side} {partly}"));
        let sign = Some(self.sign.clone()).filter(|sign| !sign.is_empty());
        sign.into_iter().chain(left).collect::<Vec<_>>().join(" ")
    }
}

/// Two cells without a ratio.
struct Gap {
    what: String,
    why: String,
    /// There should be a ratio: both were to be measured and can do the benchmark, or one session has it and the other not.
    open: bool,
}

impl Gap {
    /// Of two cells, with the names by which they are told apart.
    fn between(what: String, cells: [(&str, Option<&Cell>); 2]) -> Self {
        let lacks = |(name, cell): &(&str, Option<&Cell>)| {
            let word = match cell {
                None => "not planned".into(),
                Some(cell) => words::instead(&cell.state).or_else(|| unmeasured(cell))?,
            };
            Some(format!("{name}: {word}"))
        };
        let why: Vec<String> = cells.iter().filter_map(lacks).collect();
        let able = |cell: &Cell| {
            !matches!(
                cell.state,
                CellState::Unsupported { .. } | CellState::Unverified { .. }
            )
        };
        Gap {
            what,
            why: if why.is_empty() {
                "no block in common".into()
            } else {
                why.join(", ")
            },
            open: cells.iter().all(|(_, cell)| cell.is_some_and(able)),
        }
    }
}

/// Why a cell with numbers has no time.
fn unmeasured(cell: &Cell) -> Option<String> {
    let measured = cell.estimates.contains_key(&Measure::Wall);
    (!measured).then(|| words::unavailable(cell, Measure::Wall))
}

/// What a comparison has found.
#[derive(Default)]
struct Found {
    lines: Vec<Line>,
    gaps: Vec<Gap>,
    /// Groups that are other work in the other session, of which a warning has told.
    other_work: Vec<Gap>,
}

/// Compares two runtimes of a session, or two sessions.
pub fn run(world: &World, arguments: &CompareArgs, out: &mut dyn Write) -> Result<Exit> {
    let (a, b) = (arguments.a.as_str(), arguments.b.as_str());
    if a == b {
        bail!("`{a}` is named twice, and the same is equal; name two runtimes or two sessions");
    }
    let found = if [a, b].iter().all(|name| sessions::exists(&world.results, name)) {
        if let Some(session) = &arguments.session {
            bail!("--session {session}: `{a}` and `{b}` are sessions; leave the option out");
        }
        two_sessions(world, a, b, out)?
    } else {
        two_runtimes(world, arguments, out)?
    };
    let Found { lines, gaps, .. } = &found;
    let mut shown = table();
    shown.set_header(["benchmark", "ratio A/B", "blocks", "", "verdict"]);
    for line in lines {
        shown.add_row([
            &line.what,
            &number::ratio(&line.ratio),
            &line.ratio.n.to_string(),
            &line.signs(),
            in_words(line.verdict),
        ]);
    }
    for gap in gaps {
        writeln!(out, "{}: not both have numbers ({})", gap.what, gap.why)?;
    }
    if !lines.is_empty() {
        print(&shown, out)?;
    }
    if lines
        .iter()
        .flat_map(|line| &line.partly)
        .any(|partly| !partly.is_empty())
    {
        writeln!(out, "{}", words::PARTLY)?;
    }
    for line in lines {
        if let Some(why) = &line.marked {
            writeln!(out, "{} {}: mostly disturbed, {why}", words::MARK, line.what)?;
        }
    }
    match arguments.fail_on {
        Some(limit) => judge_limit(&found, limit, out),
        None => Ok(Exit::Good),
    }
}

fn two_runtimes(world: &World, arguments: &CompareArgs, out: &mut dyn Write) -> Result<Found> {
    let folder = sessions::find(&world.results, arguments.session.as_deref())?;
    let analysis = judged::analyse(world, &folder)?;
    let (a, b) = (arguments.a.as_str(), arguments.b.as_str());
    check_names(world, &analysis, [a, b])?;
    writeln!(out, "A = {a}, B = {b}, session {}", analysis.session)?;
    writeln!(
        out,
        "time of A relative to B over common blocks; below 1, A is faster; 95 % intervals\n"
    )?;
    let mut found = Found::default();
    for group in &analysis.groups {
        let cells = [a, b].map(|name| words::cell(group, name));
        match words::pair(group, Measure::Wall, a, b) {
            Some(pair) => found.lines.push(Line {
                what: place(&group.key),
                ratio: pair.ratio.clone(),
                sign: words::sign(pair),
                verdict: pair.verdict,
                partly: cells.map(|cell| cell.map_or_else(String::new, |cell| words::partly(&cell.state))),
                marked: words::why_marked(&pair.disturbance, "block"),
            }),
            None => {
                let cells = [(a, cells[0]), (b, cells[1])];
                found.gaps.push(Gap::between(place(&group.key), cells));
            }
        }
    }
    Ok(found)
}

fn check_names(world: &World, analysis: &Analysis, names: [&str; 2]) -> Result<()> {
    let no_runtime = |name: &&str| !analysis.runtimes.iter().any(|runtime| runtime.name == *name);
    let is_session = |name: &&str| sessions::exists(&world.results, name);
    let mut wrong = names.into_iter().filter(no_runtime);
    // What nobody knows comes first: it may have been meant as a session beside a session.
    if let Some(name) = wrong.clone().find(|name| !is_session(name)) {
        let runtimes = analysis.runtimes.iter().map(|runtime| runtime.name.clone());
        let known: Vec<String> = runtimes.chain(crate::log::sessions(&world.results)?).collect();
        bail!(
            "`{name}` is neither a runtime of session {} nor a session: {}",
            analysis.session,
            suggest::advice(name, known.iter().map(String::as_str))
        )
    }
    if let Some(name) = wrong.next() {
        bail!(
            "`{name}` is a session and can be compared with another session only; to choose the session of two runtimes, write --session {name}"
        );
    }
    Ok(())
}

fn two_sessions(world: &World, a: &str, b: &str, out: &mut dyn Write) -> Result<Found> {
    let of = |name| judged::analyse(world, &sessions::find(&world.results, Some(name))?);
    let (first, second) = (of(a)?, of(b)?);
    writeln!(out, "A = session {a}, B = session {b}")?;
    writeln!(
        out,
        "time in A relative to B; below 1, A is faster; 95 % intervals"
    )?;
    writeln!(
        out,
        "weaker evidence: the two did not run side by side, so whatever changed on the machine in between counts as a difference\n"
    )?;
    let differences = differences(&first, &second);
    for difference in &differences {
        writeln!(out, "warning: {difference}")?;
    }
    if !differences.is_empty() {
        writeln!(out)?;
    }
    let lines: Vec<Line> = across_sessions(&first, &second, Measure::Wall)
        .into_iter()
        .map(|unpaired| Line {
            what: format!("{} {}", place(&unpaired.key), unpaired.runtime),
            ratio: unpaired.ratio,
            sign: words::mark(&unpaired.disturbance).to_owned(),
            verdict: unpaired.verdict,
            partly: unpaired.states.each_ref().map(words::partly),
            marked: words::why_marked(&unpaired.disturbance, "invocation"),
        })
        .collect();
    let in_both = without_ratio(&first, &second, Measure::Wall);
    if lines.is_empty() && in_both.is_empty() {
        bail!("no runtime has numbers for the same benchmark, size, cores and parameters in both sessions");
    }
    let in_both = in_both.into_iter().map(|(key, cells)| (key, cells.map(Some)));
    let in_one = in_one_only(&first, &second, Measure::Wall);
    let other_work = of_other_work(&first, &second).into_iter();
    Ok(Found {
        lines,
        gaps: in_both
            .chain(in_one)
            .map(|(key, cells)| of_sessions(key, cells))
            .collect(),
        other_work: other_work.map(of_other).collect(),
    })
}

/// A cell that has numbers in one session and none in the other is open whatever the reason: something has changed.
fn of_sessions(key: &GroupKey, cells: [Option<&Cell>; 2]) -> Gap {
    let runtime = cells.iter().flatten().next().map_or("", |cell| &cell.runtime);
    let numbers = cells.iter().flatten().any(|cell| cell.state.has_numbers());
    let gap = Gap::between(
        format!("{} {runtime}", place(key)),
        [("A", cells[0]), ("B", cells[1])],
    );
    Gap {
        open: gap.open || numbers,
        ..gap
    }
}

fn of_other(key: &GroupKey) -> Gap {
    Gap {
        what: place(key),
        why: "other parameters or results in A than in B".into(),
        open: true,
    }
}

fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::FasterSmall => "faster, perhaps by little",
        Verdict::Equal => "equal within the margin",
        Verdict::SlowerSmall => "slower, perhaps by little",
        Verdict::Slower => "slower",
        Verdict::Undecided => "undecided",
    }
}

fn judge_limit(found: &Found, limit: f64, out: &mut dyn Write) -> Result<Exit> {
    let lines = &found.lines;
    let of = |wanted: Ruling| {
        lines
            .iter()
            .filter(move |line| ruling(&line.ratio, limit) == wanted)
    };
    let allowed = format!("{} %", number::significant(limit * 100.0));
    for line in of(Ruling::Regression) {
        writeln!(
            out,
            "REGRESSION  {}: A is slower by more than {allowed}, as its whole 95 % interval says",
            line.what
        )?;
    }
    for line in of(Ruling::Unclear) {
        writeln!(
            out,
            "unclear     {}: {} leaves open whether A is slower by more than {allowed}; measure more blocks",
            line.what,
            number::ratio(&line.ratio)
        )?;
    }
    for line in of(Ruling::Fine).filter(|line| reaches(&line.ratio, limit)) {
        writeln!(
            out,
            "passed      {}: the interval of {} reaches beyond {allowed}, but not beyond twice that, and the ratio does not",
            line.what,
            number::ratio(&line.ratio)
        )?;
    }
    // What failed or is gone may be slower too: nobody knows.
    let gaps = || found.gaps.iter().chain(&found.other_work);
    let open = || gaps().filter(|gap| gap.open);
    for gap in open() {
        writeln!(out, "unclear     {}: there is no ratio ({})", gap.what, gap.why)?;
    }
    Ok(if of(Ruling::Regression).next().is_some() {
        Exit::Regression
    } else if lines.is_empty() || of(Ruling::Unclear).next().is_some() || open().next().is_some() {
        Exit::Impossible
    } else {
        Exit::Good
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ruling {
    Fine,
    Regression,
    Unclear,
}

/// A regression must be clear of the limit; "fine" must at least exclude that A is slower by twice the limit, and its ratio must
/// keep the limit. If the interval had to keep it too, programs that are equal would be unclear wherever the noise is as
/// large as the limit; a ratio beyond it is no such case, since an interval that ends before twice the limit then begins
/// above equality.
fn ruling(ratio: &Estimate, limit: f64) -> Ruling {
    match &ratio.interval {
        None => Ruling::Unclear,
        Some(interval) if interval.low > 1.0 + limit => Ruling::Regression,
        Some(interval) if ratio.value > 1.0 + limit || interval.high > 1.0 + 2.0 * limit => Ruling::Unclear,
        Some(_) => Ruling::Fine,
    }
}

/// Whether A may be slower by more than the limit.
fn reaches(ratio: &Estimate, limit: f64) -> bool {
    let interval = ratio.interval.as_ref();
    interval.is_some_and(|interval| interval.high > 1.0 + limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::analysis::Interval;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate {
            value: (low * high).sqrt(),
            interval: Some(Interval {
                low,
                high,
                confidence: 0.95,
                method: "test".into(),
            }),
            n: 10,
            range: (low, high),
            source: "test".into(),
        }
    }

    #[test]
    fn a_regression_is_beyond_doubt_and_an_all_clear_needs_precision() {
        assert_eq!(ruling(&ratio(1.04, 1.06), 0.03), Ruling::Regression);
        assert_eq!(ruling(&ratio(1.01, 1.05), 0.03), Ruling::Fine);
        assert_eq!(ruling(&ratio(0.90, 1.10), 0.03), Ruling::Unclear);
        assert_eq!(ruling(&ratio(1.02, 1.05), 0.03), Ruling::Unclear);
        assert_eq!(ruling(&ratio(0.50, 0.60), 0.03), Ruling::Fine);
        let none = Estimate {
            interval: None,
            ..ratio(1.0, 1.0)
        };
        assert_eq!(ruling(&none, 0.03), Ruling::Unclear);
    }

    #[test]
    fn a_limit_is_told_with_what_comes_near_it() {
        let told = |low, high, limit| {
            let line = Line {
                what: "big".into(),
                ratio: ratio(low, high),
                sign: String::new(),
                verdict: Verdict::Undecided,
                partly: Default::default(),
                marked: None,
            };
            let found = Found {
                lines: vec![line],
                ..Found::default()
            };
            let mut out = Vec::new();
            let exit = judge_limit(&found, limit, &mut out).unwrap();
            (exit, String::from_utf8(out).unwrap())
        };
        assert_eq!(told(0.98, 1.02, 0.03), (Exit::Good, String::new()));
        for (low, high, limit, exit, text) in [
            (
                0.99,
                1.05,
                0.03,
                Exit::Good,
                "passed      big: the interval of 1.02 [0.990–1.05] reaches beyond 3.00 %,",
            ),
            (
                1.02,
                1.05,
                0.03,
                Exit::Impossible,
                "unclear     big: 1.03 [1.02–1.05] leaves open",
            ),
            (
                1.01,
                1.02,
                0.0001,
                Exit::Regression,
                "REGRESSION  big: A is slower by more than 0.0100 %,",
            ),
        ] {
            let (ended, said) = told(low, high, limit);
            assert_eq!(ended, exit, "{said}");
            assert!(said.starts_with(text), "{said}");
        }
    }
}
