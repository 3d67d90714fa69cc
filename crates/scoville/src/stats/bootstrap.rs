//! Hierarchical bootstrap of a median of medians: invocations are drawn with replacement, then iterations within each.
//!
//! Hierarchical resampling: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013. For medians the
//! bootstrap distribution need not be simulated (Efron, "Bootstrap methods: another look at the jackknife", Annals of
//! Statistics 7 (1979), section 3; Maritz and Jarrett, JASA 73 (1978)): the median of a resample of k values is one of
//! them, and which one follows from binomial probabilities. The median of one resampled invocation then has the
//! distribution function that is the mean of those of all invocations, and the median of n of them a binomial tail of it.
//! This is the limit of infinitely many resamples: no seed, no noise of resampling, and a thousandth of the time.

use super::binomial;
use super::interval::Interval;
use super::inverse::invert;

/// Percentile interval of the median over `groups` of the median within each group; `None` below two groups.
///
/// Each group is in ascending order and has at least one value. Medians of even counts are taken between the lower and
/// the upper middle value: at the level of groups the ends of the interval use the outer one of the two, which makes it
/// slightly wider.
pub fn median_of_medians(groups: &[Vec<f64>], confidence: f64) -> Option<Interval> {
    let n = groups.len() as u32;
    if n < 2 {
        return None;
    }
    let mut steps = steps(groups);
    steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let tail = (1.0 - confidence) / 2.0;
    // The lower end is the point that the lower middle of n draws undercuts with probability `tail`.
    let at_most = |count: u32, share: f64| 1.0 - binomial::cdf(i64::from(count) - 1, n, share);
    let low = invert(|share| at_most(n.div_ceil(2), share), tail, 0.0, 1.0);
    let high = invert(|share| at_most(n / 2 + 1, share), 1.0 - tail, 0.0, 1.0);
    Some(Interval {
        low: reach(&steps, low),
        high: reach(&steps, high),
        confidence,
    })
}

/// Value and probability of every outcome of drawing one group and then the median of a resample of it.
fn steps(groups: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let mut known: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut steps = Vec::new();
    for group in groups {
        let k = group.len();
        if !known.iter().any(|(size, _)| *size == k) {
            known.push((k, rank_probabilities(k as u32)));
        }
        let probabilities = known.iter().find(|(size, _)| *size == k).map(|(_, p)| p.iter());
        let weighted = group.iter().zip(probabilities.into_iter().flatten());
        steps.extend(
            weighted
                .filter(|(_, p)| **p > 1e-12)
                .map(|(value, p)| (*value, p / groups.len() as f64)),
        );
    }
    steps
}

/// Probability that the median of a resample of k distinct values is the first, second ... of them. For even k the mean
/// of the distributions of both middle values, which is close from some ten values on.
fn rank_probabilities(k: u32) -> Vec<f64> {
    let at_least =
        |count: u32, rank: u32| 1.0 - binomial::cdf(i64::from(count) - 1, k, f64::from(rank) / f64::from(k));
    let cumulative = |rank: u32| 0.5 * (at_least(k.div_ceil(2), rank) + at_least(k / 2 + 1, rank));
    let mut before = 0.0;
    (1..=k)
        .map(|rank| {
            let now = if rank == k { 1.0 } else { cumulative(rank) };
            let step = now - before;
            before = now;
            step
        })
        .collect()
}

/// The first value at which the accumulated probability reaches `share`.
fn reach(steps: &[(f64, f64)], share: f64) -> f64 {
    let mut sum = 0.0;
    for (value, probability) in steps {
        sum += probability;
        if sum >= share {
            return *value;
        }
    }
    steps[steps.len() - 1].0
}
