//! The comparison table that terminal, Markdown and HTML share: one per size and core count, benchmarks down, runtimes
//! across, the baseline absolute and everybody else as a ratio to it.

use std::collections::BTreeSet;

use crate::digits::number_of;
use crate::model::analysis::{
    Analysis, Cell, Disturbance, Estimate, GroupAnalysis, Measure, Sensor, Summary, Verdict,
};
use crate::plain;

use super::{number, words};

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The size.
    pub preset: String,
    /// The cores.
    pub cores: u32,
    /// What is compared.
    pub measure: Measure,
    /// Runtime that the ratios are relative to; `None` for a table of absolute values.
    pub baseline: Option<String>,
    /// Runtimes, the baseline first.
    pub runtimes: Vec<String>,
    /// Benchmarks in plan order, then the geometric mean.
    pub rows: Vec<Row>,
}

/// One line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The benchmark, or what the line sums up.
    pub label: String,
    /// One entry per runtime of [`Comparison::runtimes`].
    pub entries: Vec<Entry>,
}

/// Label of the row of geometric means.
const MEAN: &str = "geomean";

impl Row {
    /// Whether it sums the others up.
    pub fn is_mean(&self) -> bool {
        self.label == MEAN
    }
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it says.
    pub text: String,
    /// The sign of the verdict, with [`words::MARK`] if it rests mostly on disturbed invocations; may be empty.
    pub sign: String,
    /// How it may be coloured; the text says the same.
    pub tone: Tone,
    /// What its column is sorted by; `None` for words, and for an absolute value among ratios.
    pub number: Option<f64>,
    /// Why it is marked.
    pub marked: Option<Marked>,
}

/// Why an entry carries [`words::MARK`].
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// How much was disturbed and what fired, in words.
    pub why: String,
    /// What fired.
    pub sensors: BTreeSet<Sensor>,
}

impl Marked {
    /// `what` the number rests on, if that was mostly disturbed.
    fn of(disturbance: &Disturbance, what: &str) -> Option<Self> {
        Some(Marked {
            why: words::why_marked(disturbance, what)?,
            sensors: disturbance.sensors.keys().copied().collect(),
        })
    }
}

/// Meaning behind a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The baseline, or an absolute value.
    Plain,
    /// Lower than the baseline.
    Better,
    /// Higher than the baseline.
    Worse,
    /// Undecided, equal or absent.
    Dim,
    /// A wrong result or a failure.
    Bad,
}

impl Entry {
    fn new(text: impl Into<String>, tone: Tone) -> Self {
        Entry {
            text: text.into(),
            sign: String::new(),
            tone,
            number: None,
            marked: None,
        }
    }

    /// Text and sign.
    pub fn line(&self) -> String {
        format!("{} {}", self.text, self.sign).trim_end().to_string()
    }
}

/// Every (size, cores) of an analysis, in plan order.
pub fn sizes(analysis: &Analysis) -> Vec<(String, u32)> {
    let mut sizes = Vec::new();
    for group in &analysis.groups {
        let size = (group.key.preset.clone(), group.key.cores);
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    sizes
}

/// The groups of a size, in plan order.
pub fn groups<'a>(
    analysis: &'a Analysis,
    size: &'a (String, u32),
) -> impl Iterator<Item = &'a GroupAnalysis> {
    (analysis.groups.iter()).filter(|g| g.key.preset == size.0 && g.key.cores == size.1)
}

/// The ratio tables of a measure, one per size. Utilisation has no direction and is shown absolute.
pub fn tables(analysis: &Analysis, measure: Measure) -> Vec<Comparison> {
    (sizes(analysis).iter())
        .map(|size| table(analysis, measure, size))
        .collect()
}

fn table(analysis: &Analysis, measure: Measure, size: &(String, u32)) -> Comparison {
    let baseline = baseline(analysis, size).filter(|_| words::lower_is_better(measure));
    let runtimes = runtimes_baseline_first(analysis, size, baseline);
    let mut rows: Vec<Row> = groups(analysis, size)
        .map(|group| Row {
            label: group.key.benchmark.clone(),
            entries: (runtimes.iter())
                .map(|runtime| entry(group, measure, runtime, baseline))
                .collect(),
        })
        .collect();
    rows.extend(baseline.and_then(|b| geomean_row(analysis, measure, size, &runtimes, b)));
    Comparison {
        preset: size.0.clone(),
        cores: size.1,
        measure,
        baseline: baseline.map(str::to_owned),
        runtimes,
        rows,
    }
}

/// Whether a runtime has numbers at a size.
pub fn has_numbers(analysis: &Analysis, size: &(String, u32), runtime: &str) -> bool {
    groups(analysis, size)
        .flat_map(|group| &group.cells)
        .any(|cell| cell.runtime == runtime && cell.state.has_numbers())
}

/// What ratios are relative to, if there are any; else the plan's baseline.
pub fn reference<'a>(analysis: &'a Analysis, size: &(String, u32)) -> &'a str {
    baseline(analysis, size).unwrap_or(&analysis.plan.baseline)
}

/// What ratios are relative to: the plan's baseline, or what was judged in its place where it has no number.
fn baseline<'a>(analysis: &'a Analysis, size: &(String, u32)) -> Option<&'a str> {
    let planned = &analysis.plan.baseline;
    if has_numbers(analysis, size, planned) {
        return Some(planned);
    }
    let mut summaries = analysis.summaries.iter();
    summaries
        .find(|s| s.preset == size.0 && s.cores == size.1)
        .map(|s| s.baseline.as_str())
}

fn runtimes_baseline_first(analysis: &Analysis, size: &(String, u32), baseline: Option<&str>) -> Vec<String> {
    let mut runtimes: Vec<String> = Vec::new();
    for cell in groups(analysis, size).flat_map(|g| &g.cells) {
        if !runtimes.contains(&cell.runtime) {
            runtimes.push(cell.runtime.clone());
        }
    }
    runtimes.sort_by_key(|r| Some(r.as_str()) != baseline);
    runtimes
}

fn entry(group: &GroupAnalysis, measure: Measure, runtime: &str, baseline: Option<&str>) -> Entry {
    let Some(cell) = words::cell(group, runtime) else {
        return Entry::new("missing", Tone::Dim);
    };
    if let Some(word) = words::instead(&cell.state) {
        let tone = if words::failure(&cell.state).is_some() {
            Tone::Bad
        } else {
            Tone::Dim
        };
        return Entry::new(word, tone);
    }
    match baseline {
        Some(b) if b != runtime => relative(group, measure, cell, b),
        _ => absolute(measure, cell),
    }
}

fn absolute(measure: Measure, cell: &Cell) -> Entry {
    let Some(e) = cell.estimates.get(&measure) else {
        return Entry::new("unavailable", Tone::Dim);
    };
    let parts = [
        number::value(measure, e.value),
        number::half_width(e),
        words::partly(&cell.state),
    ];
    Entry {
        sign: words::mark(&cell.disturbance).to_owned(),
        number: Some(e.value),
        marked: Marked::of(&cell.disturbance, "invocation"),
        ..Entry::new(joined(&parts), Tone::Plain)
    }
}

/// Without a common block or a verified baseline there is no ratio; the absolute value stands there instead, and is in no
/// order with the ratios above and below it.
fn relative(group: &GroupAnalysis, measure: Measure, cell: &Cell, baseline: &str) -> Entry {
    let Some(pair) = words::pair(group, measure, &cell.runtime, baseline) else {
        return Entry {
            number: None,
            ..absolute(measure, cell)
        };
    };
    let tone = match pair.verdict {
        _ if pair.ratio.interval.is_none() || !words::survives_holm(pair) => Tone::Dim,
        Verdict::Faster | Verdict::FasterSmall => Tone::Better,
        Verdict::Slower | Verdict::SlowerSmall => Tone::Worse,
        Verdict::Equal | Verdict::Undecided => Tone::Dim,
    };
    Entry {
        text: number::ratio(&pair.ratio),
        sign: joined(&[words::sign(pair), words::partly(&cell.state)]),
        tone,
        number: Some(pair.ratio.value),
        marked: Marked::of(&pair.disturbance, "block"),
    }
}

fn joined(parts: &[String]) -> String {
    let full: Vec<&str> = (parts.iter().map(String::as_str))
        .filter(|p| !p.is_empty())
        .collect();
    full.join(" ")
}

/// The suite summary of a runtime, if it was computed for this baseline.
pub fn summary<'a>(
    analysis: &'a Analysis,
    measure: Measure,
    size: &(String, u32),
    runtime: &str,
    baseline: &str,
) -> Option<&'a Summary> {
    analysis.summaries.iter().find(|s| {
        s.measure == measure
            && s.preset == size.0
            && s.cores == size.1
            && s.runtime == runtime
            && s.baseline == baseline
    })
}

fn geomean_row(
    analysis: &Analysis,
    measure: Measure,
    size: &(String, u32),
    runtimes: &[String],
    baseline: &str,
) -> Option<Row> {
    let total = groups(analysis, size).count();
    let mut any = false;
    let entries = (runtimes.iter())
        .map(|runtime| {
            if runtime == baseline {
                return Entry::new("1", Tone::Dim);
            }
            match summary(analysis, measure, size, runtime, baseline) {
                Some(s) => {
                    any = true;
                    Entry {
                        text: number::ratio(&s.geomean),
                        sign: format!("{} of {total}{}", s.common.len(), words::mark(&s.disturbance)),
                        tone: Tone::Plain,
                        number: Some(s.geomean.value),
                        marked: Marked::of(&s.disturbance, "block"),
                    }
                }
                None => Entry::new("none in common", Tone::Dim),
            }
        })
        .collect();
    any.then(|| Row {
        label: MEAN.into(),
        entries,
    })
}

/// What the signs, the intervals and the number of blocks mean, in lines for under a table.
pub fn legend(analysis: &Analysis, comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    let margin = number::percent(analysis.plan.method.margin);
    if comparison.baseline.is_some() {
        lines.push(format!(
            "+ slower or larger; - faster or smaller; = equal within {margin}; += -= clear of equal, perhaps within {margin}; \
             ? undecided; ~ asymmetric tail"
        ));
    }
    lines.extend(families(analysis, comparison).map(|benchmarks| {
        format!("(+) (-) clear alone, but not after Holm's correction over the {benchmarks} of a column")
    }));
    lines.extend(marked(comparison));
    lines.push(interval_note(analysis, comparison));
    lines.extend(unavailable(analysis, comparison));
    if comparison.baseline.is_some() {
        lines.push(
            "geomean: over the benchmarks that both runtimes verified (count beside it); the others are not imputed".into(),
        );
    }
    let partly = groups(analysis, &(comparison.preset.clone(), comparison.cores))
        .flat_map(|g| &g.cells)
        .any(|c| !words::partly(&c.state).is_empty());
    if partly {
        lines.push(words::PARTLY.into());
    }
    lines
}

/// How many benchmarks of a column are corrected together: those that have a p value, which may be others in each column.
fn families(analysis: &Analysis, comparison: &Comparison) -> Option<String> {
    let size = (comparison.preset.clone(), comparison.cores);
    let baseline = comparison.baseline.as_deref()?;
    let family = |runtime: &String| {
        groups(analysis, &size)
            .filter_map(|group| words::pair(group, comparison.measure, runtime, baseline))
            .filter(|pair| pair.p.is_some())
            .count()
    };
    let sizes: BTreeSet<usize> = comparison.runtimes.iter().map(family).collect();
    let mut sizes = sizes.into_iter().filter(|size| *size > 0);
    let least = sizes.next()?;
    Some(match sizes.next_back() {
        None => number_of(least, "benchmark"),
        Some(most) => format!("{least} to {most} benchmarks"),
    })
}

/// What the mark means, how many entries have it and what fired; `None` where nothing is marked.
fn marked(comparison: &Comparison) -> Option<String> {
    let entries = || comparison.rows.iter().flat_map(|row| &row.entries);
    let marks: Vec<&Marked> = entries().filter_map(|entry| entry.marked.as_ref()).collect();
    let fired: BTreeSet<Sensor> = marks.iter().flat_map(|mark| &mark.sensors).copied().collect();
    let fired: Vec<&str> = fired.into_iter().map(words::sensor).collect();
    (!marks.is_empty()).then(|| {
        format!(
            "{} mostly disturbed ({} of {} entries): sensors flagged at least half of the blocks behind a ratio, or of the \
             invocations behind another number; nothing is left out. Fired: {}",
            words::MARK,
            marks.len(),
            entries().count(),
            fired.join(", ")
        )
    })
}

/// Why numbers of the measure are missing, each reason once.
fn unavailable(analysis: &Analysis, comparison: &Comparison) -> BTreeSet<String> {
    let size = (comparison.preset.clone(), comparison.cores);
    groups(analysis, &size)
        .flat_map(|g| &g.cells)
        .filter(|c| c.state.has_numbers() && c.unavailable.contains_key(&comparison.measure))
        .map(|c| plain::line(&words::unavailable(c, comparison.measure)))
        .collect()
}

/// Invocations per cell and what the intervals are. Exact methods cannot always reach 95 %; the confidence that was
/// reached is said.
fn interval_note(analysis: &Analysis, comparison: &Comparison) -> String {
    let size = (comparison.preset.clone(), comparison.cores);
    let cells = groups(analysis, &size)
        .flat_map(|g| &g.cells)
        .filter(|c| c.state.has_numbers());
    let estimates: Vec<&Estimate> = cells
        .filter_map(|c| c.estimates.get(&comparison.measure))
        .collect();
    let baseline = comparison.baseline.as_deref();
    let ratios = groups(analysis, &size)
        .flat_map(|g| &g.pairs)
        .filter(|p| p.measure == comparison.measure && Some(p.b.as_str()) == baseline)
        .map(|p| &p.ratio);
    let (least, most) =
        (estimates.iter().map(|e| e.n)).fold((u32::MAX, 0), |(lo, hi), n| (lo.min(n), hi.max(n)));
    let n = match (least, most) {
        (_, 0) => return "no invocation with numbers yet".into(),
        (a, b) if a == b => format!("n = {} per cell", number_of(a as usize, "invocation")),
        (a, b) => format!("n = {a} to {b} invocations per cell"),
    };
    let reached =
        (estimates.iter().copied().chain(ratios)).filter_map(|e| Some(e.interval.as_ref()?.confidence));
    let (low, high) = reached.fold((f64::INFINITY, 0.0_f64), |(lo, hi), c| (lo.min(c), hi.max(c)));
    let intervals = if high == 0.0 {
        "; one invocation has no interval".to_string()
    } else {
        let reached = match [low, high].map(number::percent) {
            [low, high] if low == high => low,
            [low, high] => format!("{low} to {high}"),
        };
        format!("; ± and [ ] are 95 % intervals (reached: {reached})")
    };
    let few = if least < 6 {
        "; fewer than 6 blocks are \"few\": the signs rest on the interval alone"
    } else {
        ""
    };
    format!("{n}{intervals}{few}")
}
