//! The binomial distribution.

use super::normal;

/// Up to here the probabilities are summed; above, the normal approximation with continuity correction is used, whose
/// error at 200 is below 0.002 for the central probabilities that this crate asks for.
const EXACT_UP_TO: u32 = 200;

/// Probability of at most `k` successes in `n` trials of probability `p`.
pub fn cdf(k: i64, n: u32, p: f64) -> f64 {
    if k < 0 {
        return 0.0;
    }
    if k >= i64::from(n) || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    if n > EXACT_UP_TO {
        let (mean, variance) = (f64::from(n) * p, f64::from(n) * p * (1.0 - p));
        return normal::cdf((k as f64 + 0.5 - mean) / variance.sqrt());
    }
    let (k, n) = (k as u32, n);
    if p > 0.5 {
        // The sum starts at (1 - p)^n, which must not underflow.
        return 1.0 - lower_sum(n - k - 1, n, 1.0 - p);
    }
    lower_sum(k, n, p)
}

fn lower_sum(k: u32, n: u32, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let mut term = (1.0 - p).powi(n as i32);
    let mut sum = term;
    for i in 1..=k {
        term *= odds * f64::from(n - i + 1) / f64::from(i);
        sum += term;
    }
    sum.min(1.0)
}
