//! Interval of the median from two order statistics: the number of observations below the median is binomial with
//! probability 1/2, whatever their distribution. David and Nagaraja, "Order Statistics", 3rd edition, section 7.1.

use super::binomial;
use super::interval::Interval;

/// The narrowest symmetric pair of order statistics that covers the median with at least `confidence`, with its exact
/// confidence; `None` where even smallest and largest do not reach it (95 % needs six values).
///
/// Ties only make the true confidence larger.
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<Interval> {
    let n = sorted.len() as u32;
    let tail = |rank: u32| binomial::cdf(i64::from(rank) - 1, n, 0.5);
    let allowed = (1.0 - confidence) / 2.0;
    let rank = (1..=n / 2).take_while(|&rank| tail(rank) <= allowed).last()?;
    Some(Interval {
        low: sorted[rank as usize - 1],
        high: sorted[(n - rank) as usize],
        confidence: 1.0 - 2.0 * tail(rank),
    })
}
