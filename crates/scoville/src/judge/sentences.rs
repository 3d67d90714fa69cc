//! What the data say, in words.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use crate::digits::{number_doing, number_of, significant};
use crate::model::analysis::{
    CellState, ClimbEnd, Estimate, GroupAnalysis, LadderAnalysis, Measure, Pair, Summary, Verdict,
};
use crate::model::plan::Plan;

use super::CONFIDENCE;
use super::summary::{Suite, reference, suites};

/// At most so many failures or runtimes are named; the rest is counted.
const NAMED: usize = 5;

/// The method in words.
pub(super) fn method(plan: &Plan) -> String {
    let margin = 100.0 * plan.method.margin;
    format!(
        "The unit is one process of a runtime; the competitors of a benchmark meet in blocks, in random order (seed {}). \
         Ratios are Hodges-Lehmann estimates over paired blocks with 95 % intervals by signed ranks (by t on logarithms \
         below six blocks, none for one); within {margin} % counts as equal, and p values in a table are adjusted after \
         Holm.",
        plan.seed
    )
}

/// The sentences, most important first.
pub(super) fn sentences(
    plan: &Plan,
    groups: &[GroupAnalysis],
    ladders: &[LadderAnalysis],
    summaries: &[Summary],
) -> Vec<String> {
    let mut sentences: Vec<String> = ladders.iter().filter_map(highest).collect();
    if ladders.is_empty()
        && !groups
            .iter()
            .flat_map(|group| &group.cells)
            .any(|c| c.state.has_numbers())
    {
        sentences.push("No invocation has brought a verified number so far.".to_owned());
    }
    for suite in suites(groups) {
        let Some(baseline) = reference(&suite, &plan.baseline) else {
            continue;
        };
        if baseline != plan.baseline {
            sentences.push(replaced(&suite, baseline, &plan.baseline));
        }
        sentences.extend(leader(&suite, baseline, summaries));
        sentences.extend(verdicts(&suite, baseline));
        sentences.extend(undecided(&suite, baseline));
    }
    sentences.extend(failures(groups));
    sentences
}

/// Who climbed highest, and whether anybody is still climbing.
fn highest(ladder: &LadderAnalysis) -> Option<String> {
    let (benchmark, parameter) = (&ladder.key.benchmark, &ladder.parameter);
    let Some(largest) = ladder.climbs.iter().map(|climb| climb.largest).max()? else {
        return Some(format!(
            "No runtime has passed the first step of {benchmark} so far."
        ));
    };
    let open = ladder
        .climbs
        .iter()
        .filter(|climb| climb.end == ClimbEnd::Open)
        .count();
    let open = match open {
        0 => String::new(),
        n => format!(
            " {n} of {} {} yet.",
            ladder.climbs.len(),
            match n {
                1 => "has not come to its limit",
                _ => "have not come to their limit",
            }
        ),
    };
    let best = ladder
        .climbs
        .iter()
        .filter(|climb| climb.largest == Some(largest));
    let best: Vec<&str> = best.map(|climb| climb.runtime.as_str()).collect();
    let cores = number_of(ladder.key.cores as usize, "core");
    Some(format!(
        "{benchmark} on {cores} grew farthest on {}: {parameter} = {largest}.{open}",
        list(&best)
    ))
}

fn place(suite: &Suite<'_>) -> String {
    let key = &suite[0].key;
    format!("{} size, {}", key.preset, number_of(key.cores as usize, "core"))
}

fn replaced(suite: &Suite<'_>, used: &str, wanted: &str) -> String {
    format!(
        "At {} the baseline {wanted} has no verified number; ratios are relative to {used} instead.",
        place(suite)
    )
}

/// Means over different sets of benchmarks cannot be ranked: those that share the largest set compete, of equally large ones
/// that which most share, and the runtimes that lack some of it are named.
fn ranked(all: Vec<&Summary>) -> Option<(Vec<&Summary>, Vec<&str>)> {
    let sharing = |set: &Vec<String>| all.iter().filter(|s| s.common == *set).count();
    let sets = all.iter().copied().rev().map(|s| &s.common);
    let set = sets.max_by_key(|set| (set.len(), sharing(set)))?;
    let (complete, others): (Vec<&Summary>, Vec<&Summary>) = all.into_iter().partition(|s| s.common == *set);
    Some((complete, others.iter().map(|s| s.runtime.as_str()).collect()))
}

/// Who has the smallest geometric mean of wall times, and how sure that is.
fn leader(suite: &Suite<'_>, baseline: &str, summaries: &[Summary]) -> Option<String> {
    let key = &suite[0].key;
    let here = |s: &&Summary| s.measure == Measure::Wall && s.preset == key.preset && s.cores == key.cores;
    let (complete, others) = ranked(summaries.iter().filter(here).collect())?;
    let least = |of: &dyn Fn(&Summary) -> bool| {
        let among = complete.iter().copied().filter(|s| of(s));
        among.min_by(|a, b| a.geomean.value.total_cmp(&b.geomean.value))
    };
    let ends = |s: &Summary| {
        let interval = s.geomean.interval.as_ref();
        interval.map_or((0.0, f64::INFINITY), |i| (i.low, i.high))
    };
    let best = least(&|_| true)?;
    let name = &best.runtime;
    let without = match &others[..] {
        [] => String::new(),
        others => format!("; not ranked for lack of benchmarks: {}", list(others)),
    };
    let over = match best.common.len() {
        1 => format!("On {} ({}{without})", best.common[0], place(suite)),
        n => format!("Over {n} benchmarks ({}{without})", place(suite)),
    };
    let ratio = |s: &Summary| in_words(&s.geomean);
    let range = |s: &Summary| match s.common.len() {
        1 => String::new(),
        _ => {
            let ((low, x), (high, y)) = (&s.smallest, &s.largest);
            let (x, y) = (significant(*x), significant(*y));
            format!("; single benchmarks range from {x} ({low}) to {y} ({high})")
        }
    };
    let as_part = |told: &Summary| {
        let doubt = doubt(told);
        format!("{} that of {baseline}{}.{doubt}", ratio(told), range(told))
    };
    if ends(best).1 < 1.0 {
        // The smallest of several means is not the smallest for sure.
        let rivals = complete
            .iter()
            .filter(|s| s.runtime != *name && ends(s).0 <= ends(best).1);
        let rivals: Vec<&str> = rivals.map(|s| s.runtime.as_str()).collect();
        return Some(match rivals.len() {
            0 => format!("{over} {name} leads: its time is {}", as_part(best)),
            _ => format!(
                "{over} {name} is ahead of {baseline}, but perhaps not of {}: its time is {}",
                rivals.join(", "),
                as_part(best)
            ),
        });
    }
    Some(match least(&|s| ends(s).0 <= 1.0) {
        None => format!(
            "{over} {baseline} leads; next is {name}, whose time is {} as long{}.{}",
            ratio(best),
            range(best),
            doubt(best)
        ),
        Some(open) => format!(
            "{over} no lead is certain: the time of {} is {}",
            open.runtime,
            as_part(open)
        ),
    })
}

/// What the table's mark says, as a sentence that follows another.
fn doubt(told: &Summary) -> &'static str {
    if told.disturbance.mostly {
        " That was measured while the machine was mostly disturbed."
    } else {
        ""
    }
}

fn in_words(ratio: &Estimate) -> String {
    match &ratio.interval {
        Some(i) => format!(
            "{} times ({} to {})",
            significant(ratio.value),
            significant(i.low),
            significant(i.high)
        ),
        None => format!("{} times (no interval yet)", significant(ratio.value)),
    }
}

/// Wall-time comparisons with the baseline, each once.
fn comparisons<'a>(suite: &Suite<'a>, baseline: &str) -> Vec<(&'a GroupAnalysis, &'a Pair)> {
    let of_group = |group: &&'a GroupAnalysis| {
        let group = *group;
        group.pairs.iter().map(move |pair| (group, pair))
    };
    let wanted = |pair: &Pair| pair.measure == Measure::Wall && pair.b == baseline;
    suite
        .iter()
        .flat_map(of_group)
        .filter(|(_, pair)| wanted(pair))
        .collect()
}

fn verdicts(suite: &Suite<'_>, baseline: &str) -> Option<String> {
    let pairs = comparisons(suite, baseline);
    let with_interval: Vec<_> = pairs
        .iter()
        .filter(|(_, pair)| pair.ratio.interval.is_some())
        .collect();
    if with_interval.is_empty() {
        let one = "with one block there is no interval and no verdict";
        return (!pairs.is_empty()).then(|| format!("At {} {one}.", place(suite)));
    }
    let count = |of: &[Verdict]| {
        with_interval
            .iter()
            .filter(|(_, pair)| of.contains(&pair.verdict))
            .count()
    };
    let faster = count(&[Verdict::Faster, Verdict::FasterSmall]);
    let slower = count(&[Verdict::Slower, Verdict::SlowerSmall]);
    let (equal, open) = (count(&[Verdict::Equal]), count(&[Verdict::Undecided]));
    let extreme = with_interval
        .iter()
        .filter(|(_, pair)| matches!(pair.verdict, Verdict::Faster | Verdict::Slower))
        .max_by(|(_, a), (_, b)| a.ratio.value.ln().abs().total_cmp(&b.ratio.value.ln().abs()));
    let extreme = extreme.map_or_else(String::new, |(group, pair)| {
        let (name, ratio) = (&pair.a, in_words(&pair.ratio));
        format!(
            " The largest difference: on {} {name} takes {ratio} the time of {baseline}.",
            group.key.benchmark
        )
    });
    let total = with_interval.len();
    let alone = with_interval.iter().filter(|(_, pair)| only_alone(pair)).count();
    // A single comparison has been told by the sentence before.
    (total > 1).then(|| {
        format!(
            "Of {total} comparisons with {baseline} ({}), {faster} came out faster, {slower} slower, {equal} equal and \
             {open} undecided{}.{extreme}",
            place(suite),
            clear_alone(alone, faster + slower)
        )
    })
}

/// Whether a difference is clear when it is judged alone, but not among all benchmarks of its family.
fn only_alone(pair: &Pair) -> bool {
    let differs = !matches!(pair.verdict, Verdict::Equal | Verdict::Undecided);
    differs && pair.p_holm.is_some_and(|p| p > 1.0 - CONFIDENCE)
}

/// How many of the differences are clear only alone, as the end of a sentence.
fn clear_alone(alone: usize, differences: usize) -> String {
    let unclear = match alone {
        0 => return String::new(),
        n if n == differences => "none of the differences is clear".to_owned(),
        n => format!(
            "{} clear any more",
            number_doing(n, "difference", ["is not", "are not"])
        ),
    };
    format!(", each judged alone; after Holm's correction for many benchmarks {unclear}")
}

fn undecided(suite: &Suite<'_>, baseline: &str) -> Option<String> {
    let pairs = comparisons(suite, baseline);
    let open = pairs
        .iter()
        .filter(|(_, pair)| pair.verdict == Verdict::Undecided && pair.ratio.interval.is_some());
    // Those that no sensible number decides need the most.
    let mut needs: Vec<u32> = open
        .map(|(_, pair)| pair.blocks_to_decide.unwrap_or(u32::MAX))
        .collect();
    needs.sort_unstable();
    let half = needs.len().div_ceil(2);
    let more = *needs.get(half.checked_sub(1)?).filter(|more| **more < u32::MAX)?;
    let more = number_of(more as usize, "more block");
    Some(format!(
        "About {more} would decide half of the undecided comparisons at {}.",
        place(suite)
    ))
}

fn list<T: Borrow<str>>(names: &[T]) -> String {
    match names.len() {
        0..=NAMED => names.join(", "),
        n => format!("{} and {} more", names[..NAMED].join(", "), n - NAMED),
    }
}

fn failures(groups: &[GroupAnalysis]) -> Vec<String> {
    let named = |wanted: fn(&CellState) -> bool| -> Vec<String> {
        let cells = groups
            .iter()
            .flat_map(|group| group.cells.iter().map(move |cell| (group, cell)));
        let mut seen = BTreeSet::new();
        cells
            .filter(|(_, cell)| wanted(&cell.state))
            // The same runtime and benchmark at several sizes or core counts is one thing to look into.
            .filter(|(group, cell)| seen.insert((&cell.runtime, &group.key.benchmark)))
            .map(|(group, cell)| format!("{} on {}", cell.runtime, group.key.benchmark))
            .collect()
    };
    let wrong = named(|state| matches!(state, CellState::Void { .. }));
    let failed = named(|state| matches!(state, CellState::Failed { .. }));
    let partly = named(|state| matches!(state, CellState::Partly { .. }));
    [
        ("Wrong results, hence no times", wrong),
        ("Never succeeded", failed),
        ("Failed in some invocations", partly),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(what, names)| format!("{what}: {}.", list(&names)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::clear_alone;

    #[test]
    fn some_of_the_differences_may_be_clear_only_alone() {
        assert_eq!(clear_alone(0, 7), "");
        for (alone, told) in [
            (1, "1 difference is not clear any more"),
            (2, "2 differences are not clear any more"),
            (7, "none of the differences is clear"),
        ] {
            assert!(clear_alone(alone, 7).ends_with(&format!(" {told}")), "{alone}");
        }
    }
}
