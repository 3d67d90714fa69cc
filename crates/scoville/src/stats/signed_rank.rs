//! The typical value of a symmetric distribution, its interval and the test against zero: Wilcoxon's signed ranks.
//!
//! Estimate: the median of all pairwise means (Walsh averages), Hodges and Lehmann, "Estimates of location based on rank
//! tests", Annals of Mathematical Statistics 34 (1963). Interval: Tukey's inversion of the signed-rank test, Hollander,
//! Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd edition, section 3.3. Null distribution: exact by dynamic
//! programming up to [`EXACT_UP_TO`] observations, normal above.
//!
//! *Ties and zeros.* The interval is closed and holds its confidence for discrete data too (it can only be wider than
//! needed). The test ranks zeros with the rest and then leaves them out (Pratt, "Remarks on zeros and ties in the Wilcoxon
//! signed rank procedures", JASA 54 (1959)); ties get mid-ranks; the null distribution is that of the ranks so found,
//! every sign being equally likely, hence exact as well.

use std::sync::OnceLock;

use super::interval::Interval;
use super::normal;
use super::quantile::of_sorted;

/// Number of observations up to which the null distribution is exact.
pub const EXACT_UP_TO: usize = 50;

/// A Hodges-Lehmann estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// Median of the pairwise means.
    pub value: f64,
    /// Its interval; `None` where the observations are too few for the confidence (95 % needs six).
    pub interval: Option<Interval>,
}

/// All n(n+1)/2 pairwise means, each value with itself included, in ascending order.
pub fn pairwise_means(values: &[f64]) -> Vec<f64> {
    let mut means = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (i, a) in values.iter().enumerate() {
        // a/2 + b/2 and not (a + b)/2: halving is exact, so the estimate of -x is exactly the negative of that of x.
        means.extend(values[i..].iter().map(|b| 0.5 * a + 0.5 * b));
    }
    means.sort_unstable_by(f64::total_cmp);
    means
}

/// The Hodges-Lehmann estimate with its interval; `None` of no values.
pub fn typical(values: &[f64], confidence: f64) -> Option<Typical> {
    if values.is_empty() {
        return None;
    }
    let means = pairwise_means(values);
    let interval = cut(values.len(), confidence).map(|(skip, confidence)| Interval {
        low: means[skip],
        high: means[means.len() - 1 - skip],
        confidence,
    });
    let value = of_sorted(&means, 0.5);
    Some(Typical { value, interval })
}

/// How many pairwise means lie outside the interval at each end, and the confidence that results.
fn cut(n: usize, confidence: f64) -> Option<(usize, f64)> {
    let allowed = (1.0 - confidence) / 2.0;
    if n > EXACT_UP_TO {
        let pairs = (n * (n + 1) / 2) as f64;
        let deviation = (pairs * (2 * n + 1) as f64 / 12.0).sqrt();
        let skip = (pairs / 2.0 - normal::quantile(1.0 - allowed) * deviation - 0.5).floor();
        return Some((skip.max(0.0) as usize, confidence));
    }
    let cumulative = null_distribution(n);
    let within = cumulative.iter().take_while(|&&p| p <= allowed).count();
    let skip = within.checked_sub(1)?;
    Some((skip, 1.0 - 2.0 * cumulative[skip]))
}

/// Probability that the rank sum of the positive values is at most 0, 1, 2 ... under the null hypothesis, for `n`
/// observations without ties.
///
/// # Panics
/// If `n` is above [`EXACT_UP_TO`].
pub fn null_distribution(n: usize) -> &'static [f64] {
    static TABLES: [OnceLock<Vec<f64>>; EXACT_UP_TO + 1] = [const { OnceLock::new() }; EXACT_UP_TO + 1];
    TABLES[n].get_or_init(|| cumulative(&(1..=n).collect::<Vec<_>>()))
}

/// Cumulative null distribution of the sum of those `ranks` whose sign is positive, all 2^n signs being equally likely.
fn cumulative(ranks: &[usize]) -> Vec<f64> {
    let total: usize = ranks.iter().sum();
    let mut probability = vec![0.0; total + 1];
    probability[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { probability[sum - rank] } else { 0.0 };
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    let mut sum = 0.0;
    for p in &mut probability {
        sum += *p;
        *p = sum;
    }
    probability
}

/// Two-sided p value against a distribution that is symmetric about zero. 1 where all values are zero.
pub fn p_value(values: &[f64]) -> f64 {
    let ranks = doubled_ranks(values);
    if ranks.is_empty() {
        return 1.0;
    }
    let positive: usize = ranks.iter().filter(|(sign, _)| *sign).map(|(_, rank)| rank).sum();
    let total: usize = ranks.iter().map(|(_, rank)| rank).sum();
    // The distribution is symmetric: look at the smaller side.
    let smaller = positive.min(total - positive);
    let one_sided = if ranks.len() > EXACT_UP_TO {
        let squares: f64 = ranks.iter().map(|(_, rank)| (*rank as f64).powi(2)).sum();
        // In doubled ranks the continuity correction of 1/2 is 1.
        normal::cdf((smaller as f64 + 1.0 - total as f64 / 2.0) / (squares / 4.0).sqrt())
    } else if ranks.len() == values.len() && ranks.iter().all(|(_, rank)| rank % 2 == 0) && distinct(&ranks) {
        null_distribution(ranks.len())[smaller / 2]
    } else {
        cumulative(&ranks.iter().map(|(_, rank)| *rank).collect::<Vec<_>>())[smaller]
    };
    (2.0 * one_sided).min(1.0)
}

fn distinct(ranks: &[(bool, usize)]) -> bool {
    ranks.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// Sign and twice the mid-rank of every value that is not zero, by ascending rank. Doubled so that mid-ranks are whole.
fn doubled_ranks(values: &[f64]) -> Vec<(bool, usize)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut start = 0;
    for tied in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let doubled = 2 * start + tied.len() + 1;
        if tied[0] != 0.0 {
            ranks.extend(tied.iter().map(|value| (*value > 0.0, doubled)));
        }
        start += tied.len();
    }
    ranks
}
