//! Two runtimes of a group over their common blocks.

use std::collections::BTreeSet;

use crate::model::analysis::{Estimate, Interval, Measure, Pair, Sensor, Verdict};
use crate::stats::decide::further_blocks;
use crate::stats::{self, signed_rank, student};

use super::cell::{EXACT_FROM, Judged, MEASURES, named, sources};
use super::verdict::{mirrored, verdict};
use super::{CONFIDENCE, disturbance};

/// Every ordered pair of cells with numbers, for every measure that both have in at least one common block.
pub(super) fn pairs(cells: &[Judged], margin: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for measure in MEASURES {
        for (i, a) in cells.iter().enumerate() {
            for b in &cells[i + 1..] {
                if let Some((pair, mirrored)) = compare(a, b, measure, margin) {
                    pairs.push(pair);
                    pairs.push(mirrored);
                }
            }
        }
    }
    pairs
}

/// A block in which both have the measure.
struct Common {
    /// ln(a/b).
    log_ratio: f64,
    /// The sensors that speak against either.
    disturbed_by: BTreeSet<Sensor>,
}

/// The pair in both directions: the second is the mirror image, and computing it again would only cost time.
fn compare(a: &Judged, b: &Judged, measure: Measure, margin: f64) -> Option<(Pair, Pair)> {
    let blocks = common(a, b, measure);
    let logs: Vec<f64> = blocks.iter().map(|block| block.log_ratio).collect();
    let clean: Vec<f64> = blocks
        .iter()
        .filter(|block| block.disturbed_by.is_empty())
        .map(|block| block.log_ratio)
        .collect();
    let typical = typical(&logs)?;
    let mean = Middle {
        value: student::mean(&logs),
        interval: student::interval(&logs, CONFIDENCE),
    };
    let verdict = verdict(typical.interval, margin);
    let undecided = verdict == Verdict::Undecided;
    let more = |interval: stats::Interval| {
        let n = logs.len() as u32;
        further_blocks(
            typical.value,
            interval.half_width(),
            n,
            margin.ln_1p(),
            CONFIDENCE,
        )
    };
    let share = |lower: fn(&&f64) -> bool| logs.iter().filter(lower).count() as f64 / logs.len() as f64;
    let pair = Pair {
        measure,
        a: a.cell.runtime.clone(),
        b: b.cell.runtime.clone(),
        ratio: estimate(
            &typical,
            &logs,
            typical_method(logs.len()),
            typical_source(a, b, measure),
        ),
        mean_ratio: estimate(
            &mean,
            &logs,
            "t on logs",
            "geometric mean of the block ratios".to_owned(),
        ),
        share_lower: share(|d| **d < 0.0),
        verdict,
        p: (logs.len() >= EXACT_FROM).then(|| signed_rank::p_value(&logs)),
        p_holm: None,
        asymmetric_tail: asymmetric(&typical, &mean, logs.len()),
        blocks_to_decide: typical.interval.filter(|_| undecided).and_then(more),
        clean_ratio: clean_estimate(&logs, &clean),
        disturbance: disturbance::of(blocks.into_iter().map(|block| block.disturbed_by)),
    };
    let mirrored = mirror(&pair, share(|d| **d > 0.0));
    Some((pair, mirrored))
}

/// The common blocks, ascending. Both lists of samples are ascending by block, each block at most once.
fn common(a: &Judged, b: &Judged, measure: Measure) -> Vec<Common> {
    let mut others = b.samples.iter().peekable();
    let mut blocks = Vec::with_capacity(a.samples.len());
    for x in &a.samples {
        while others.next_if(|y| y.block < x.block).is_some() {}
        let Some(y) = others.peek().filter(|y| y.block == x.block) else {
            continue;
        };
        if let (Some(p), Some(q)) = (x.point.summaries.get(&measure), y.point.summaries.get(&measure)) {
            blocks.push(Common {
                log_ratio: p.ln() - q.ln(),
                disturbed_by: &x.disturbed_by | &y.disturbed_by,
            });
        }
    }
    blocks
}

/// A location of log-ratios.
#[derive(Clone, Copy)]
pub(super) struct Middle {
    pub value: f64,
    pub interval: Option<stats::Interval>,
}

/// Hodges-Lehmann estimate; its interval by signed ranks from six blocks on, by t below. `None` without blocks.
pub(super) fn typical(logs: &[f64]) -> Option<Middle> {
    let exact = signed_rank::typical(logs, CONFIDENCE)?;
    let interval = if logs.len() < EXACT_FROM {
        student::interval(logs, CONFIDENCE)
    } else {
        exact.interval
    };
    Some(Middle {
        value: exact.value,
        interval,
    })
}

/// Name of the method behind the interval of [`typical`].
pub(super) fn typical_method(blocks: usize) -> &'static str {
    if blocks < EXACT_FROM {
        "t on logs (few)"
    } else {
        "signed rank"
    }
}

fn typical_source(a: &Judged, b: &Judged, measure: Measure) -> String {
    let of = |judged: &Judged| {
        sources(
            judged
                .samples
                .iter()
                .filter_map(|sample| sample.sources.get(&measure)),
        )
    };
    let (of_a, of_b) = (of(a), of(b));
    let method = "Hodges-Lehmann over paired blocks";
    if of_a == of_b {
        format!("{method}; {of_a}")
    } else {
        let (a, b) = (&a.cell.runtime, &b.cell.runtime);
        format!("{method}; {a}: {of_a}, {b}: {of_b}")
    }
}

/// A location of log-ratios as an estimate of the ratio.
pub(super) fn estimate(middle: &Middle, logs: &[f64], method: &str, source: String) -> Estimate {
    let range = logs
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &d| {
            (d.min(low), d.max(high))
        });
    Estimate {
        value: middle.value.exp(),
        interval: middle.interval.map(|interval| named(interval.exp(), method)),
        n: logs.len() as u32,
        range: (range.0.exp(), range.1.exp()),
        source,
    }
}

/// Whether typical and mean ratio are further apart than the narrower of their half-widths.
fn asymmetric(typical: &Middle, mean: &Middle, blocks: usize) -> bool {
    let (Some(a), Some(b)) = (typical.interval, mean.interval) else {
        return false;
    };
    // Rounding alone separates the two where all blocks agree.
    let reach = a.half_width().min(b.half_width()).max(1e-9);
    blocks >= EXACT_FROM && (typical.value - mean.value).abs() > reach
}

fn clean_estimate(logs: &[f64], clean: &[f64]) -> Option<Estimate> {
    if clean.len() == logs.len() {
        return None;
    }
    let middle = typical(clean)?;
    let source = format!(
        "without {} contaminated of {} blocks",
        logs.len() - clean.len(),
        logs.len()
    );
    Some(estimate(&middle, clean, typical_method(clean.len()), source))
}

/// The pair seen from b, which was lower in `share_lower` of the blocks.
fn mirror(pair: &Pair, share_lower: f64) -> Pair {
    Pair {
        measure: pair.measure,
        a: pair.b.clone(),
        b: pair.a.clone(),
        ratio: inverse(&pair.ratio),
        mean_ratio: inverse(&pair.mean_ratio),
        share_lower,
        verdict: mirrored(pair.verdict),
        p: pair.p,
        p_holm: pair.p_holm,
        asymmetric_tail: pair.asymmetric_tail,
        blocks_to_decide: pair.blocks_to_decide,
        clean_ratio: pair.clean_ratio.as_ref().map(inverse),
        disturbance: pair.disturbance.clone(),
    }
}

fn inverse(estimate: &Estimate) -> Estimate {
    Estimate {
        value: 1.0 / estimate.value,
        interval: estimate.interval.clone().map(|i| Interval {
            low: 1.0 / i.high,
            high: 1.0 / i.low,
            ..i
        }),
        n: estimate.n,
        range: (1.0 / estimate.range.1, 1.0 / estimate.range.0),
        source: estimate.source.clone(),
    }
}
