//! Words and signs that every renderer uses for states, verdicts and measures.

use crate::digits::number_of;
use crate::model::analysis::{Cell, CellState, Disturbance, GroupAnalysis, Measure, Pair, Sensor, Verdict};
use crate::model::invocation::{Failure, FailureKind};

/// Every measure, in the order in which reports show them.
pub const MEASURES: [Measure; 5] = [
    Measure::Wall,
    Measure::Cold,
    Measure::Cpu,
    Measure::Memory,
    Measure::Utilisation,
];

/// Identifier of a measure in exports.
pub fn slug(measure: Measure) -> &'static str {
    match measure {
        Measure::Wall => "wall",
        Measure::Cold => "cold",
        Measure::Cpu => "cpu",
        Measure::Memory => "memory",
        Measure::Utilisation => "utilisation",
    }
}

/// Name of a measure for people.
pub fn title(measure: Measure) -> &'static str {
    match measure {
        Measure::Wall => "Wall time",
        Measure::Cold => "Cold start",
        Measure::Cpu => "CPU time",
        Measure::Memory => "Peak memory",
        Measure::Utilisation => "CPU utilisation",
    }
}

/// What exactly is measured.
pub fn meaning(measure: Measure) -> &'static str {
    match measure {
        Measure::Wall => "steady time of one iteration, lower is better",
        Measure::Cold => "first iteration of a fresh process, lower is better",
        Measure::Cpu => "CPU time of one steady iteration, lower is better",
        Measure::Memory => "peak memory of the process tree, lower is better",
        Measure::Utilisation => "CPU time over wall time and cores, no direction",
    }
}

/// Whether a smaller number is a better one. Utilisation has no direction.
pub fn lower_is_better(measure: Measure) -> bool {
    measure != Measure::Utilisation
}

/// The cell of a runtime.
pub fn cell<'a>(group: &'a GroupAnalysis, runtime: &str) -> Option<&'a Cell> {
    group.cells.iter().find(|c| c.runtime == runtime)
}

/// `a` relative to `b`, if both cells may show numbers.
pub fn pair<'a>(group: &'a GroupAnalysis, measure: Measure, a: &str, b: &str) -> Option<&'a Pair> {
    let shown = |runtime| cell(group, runtime).is_some_and(|c| c.state.has_numbers());
    (group.pairs.iter())
        .find(|p| p.measure == measure && p.a == a && p.b == b)
        .filter(|_| shown(a) && shown(b))
}

/// What stands in place of a measure that a cell with numbers lacks.
pub fn unavailable(cell: &Cell, measure: Measure) -> String {
    match cell.unavailable.get(&measure) {
        Some(reason) => format!("unavailable: {reason}"),
        None => "unavailable".into(),
    }
}

/// The word that stands in place of a number; `None` for a cell that has numbers.
pub fn instead(state: &CellState) -> Option<String> {
    match state {
        CellState::Verified | CellState::Partly { .. } => None,
        CellState::Void { .. } => Some("WRONG".into()),
        CellState::Failed { failure, failed } => {
            let word = failure_word(&failure.kind);
            Some(if *failed > 1 {
                format!("{word} ×{failed}")
            } else {
                word.into()
            })
        }
        CellState::Unverified { .. } => Some("unverified".into()),
        CellState::Unsupported { .. } => Some("unsupported".into()),
        CellState::Missing => Some("missing".into()),
    }
}

/// `3/10`: invocations with numbers of a cell that lost some. Empty for the others.
pub fn partly(state: &CellState) -> String {
    match state {
        CellState::Partly { failed, of, .. } => format!("{}/{of}", of.saturating_sub(*failed)),
        _ => String::new(),
    }
}

/// What [`partly`] means.
pub const PARTLY: &str = "7/10: numbers come from the 7 of 10 invocations that did not fail";

/// The failure behind a state.
pub fn failure(state: &CellState) -> Option<&Failure> {
    match state {
        CellState::Void { failure } | CellState::Failed { failure, .. } => Some(failure),
        CellState::Partly { first, .. } => Some(first),
        _ => None,
    }
}

/// A class of failure in one word or two.
pub fn failure_word(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::CannotStart => "cannot start",
        FailureKind::WrongResult { .. } | FailureKind::WrongWork { .. } => "WRONG",
        FailureKind::TimedOut { .. } => "timeout",
        FailureKind::Crashed { .. } => "crash",
        FailureKind::Protocol => "protocol",
        FailureKind::Workers { .. } => "workers",
        FailureKind::BadParameter => "parameter",
        FailureKind::Assertion => "assertion",
        FailureKind::LeftChildren { .. } => "left children",
        FailureKind::Flood { .. } => "flood",
        FailureKind::Memory { .. } => "memory",
        FailureKind::Interrupted => "interrupted",
        FailureKind::Laboratory => "laboratory",
    }
}

/// State of a cell in one word, for exports.
pub fn state_slug(state: &CellState) -> &'static str {
    match state {
        CellState::Verified => "verified",
        CellState::Partly { .. } => "partly",
        CellState::Void { .. } => "void",
        CellState::Failed { .. } => "failed",
        CellState::Unverified { .. } => "unverified",
        CellState::Unsupported { .. } => "unsupported",
        CellState::Missing => "missing",
    }
}

/// Whether a verdict survives the correction for the many benchmarks beside it. Without a p value (few blocks) the
/// interval alone speaks, and the footer says so.
pub fn survives_holm(pair: &Pair) -> bool {
    pair.p_holm.is_none_or(|p| p <= 0.05)
}

/// The sign of a pair: `+` slower, `-` faster, `+=` and `-=` clear of equality but perhaps within the margin, `=`
/// equal, `?` undecided; in parentheses if the sign does not survive Holm's correction; `~` for an asymmetric tail;
/// [`MARK`] if the blocks behind it were mostly disturbed.
pub fn sign(pair: &Pair) -> String {
    format!("{}{}", verdict(pair), mark(&pair.disturbance))
}

fn verdict(pair: &Pair) -> String {
    if pair.ratio.interval.is_none() || !lower_is_better(pair.measure) {
        return String::new();
    }
    let bare = match pair.verdict {
        Verdict::Faster => "-",
        Verdict::FasterSmall => "-=",
        Verdict::Equal => return tail("=".into(), pair),
        Verdict::SlowerSmall => "+=",
        Verdict::Slower => "+",
        Verdict::Undecided => return tail("?".into(), pair),
    };
    let shown = if survives_holm(pair) {
        bare.to_string()
    } else {
        format!("({bare})")
    };
    tail(shown, pair)
}

fn tail(sign: String, pair: &Pair) -> String {
    if pair.asymmetric_tail { sign + "~" } else { sign }
}

/// Stands beside a number that rests mostly on disturbed invocations.
pub const MARK: &str = "*";

/// [`MARK`] where it belongs, else nothing.
pub fn mark(disturbance: &Disturbance) -> &'static str {
    if disturbance.mostly { MARK } else { "" }
}

/// `7 of 12 blocks (steal 5, foreign CPU time 3)` were disturbed; `None` where there is no [`mark`].
pub fn why_marked(disturbance: &Disturbance, what: &str) -> Option<String> {
    let fired = disturbance.sensors.iter();
    let fired: Vec<String> = fired
        .map(|(name, count)| format!("{} {count}", sensor(*name)))
        .collect();
    let of = number_of(disturbance.of as usize, what);
    let why = format!("{} of {of} ({})", disturbance.disturbed, fired.join(", "));
    disturbance.mostly.then_some(why)
}

/// A sensor as reports name it.
pub fn sensor(sensor: Sensor) -> &'static str {
    match sensor {
        Sensor::Steal => "steal",
        Sensor::Foreign => "foreign CPU time",
        Sensor::Pressure => "CPU pressure",
        Sensor::Frequency => "frequency",
        Sensor::Swap => "pages swapped in",
        Sensor::Handover => "cache-line hand-over",
        Sensor::Canary => "canary",
        Sensor::Interruption => "interrupted block",
    }
}

/// `1 core`, `8 cores`.
pub fn cores(n: u32) -> String {
    number_of(n as usize, "core")
}
