//! The standard normal distribution.
//!
//! Distribution function: the power series of Marsaglia, "Evaluating the Normal Distribution", Journal of Statistical
//! Software 11(4), 2004, formula 3; beyond 4 the continued fraction of Mills' ratio (Abramowitz and Stegun 26.2.14),
//! which keeps relative precision in the tail.

use super::inverse::invert;

/// Probability of a value up to `x`.
pub fn cdf(x: f64) -> f64 {
    if x < -4.0 {
        upper_tail(-x)
    } else if x > 4.0 {
        1.0 - upper_tail(x)
    } else {
        0.5 + density(x) * series(x)
    }
}

/// The point below which a share `p` (strictly between 0 and 1) of the distribution lies.
pub fn quantile(p: f64) -> f64 {
    invert(cdf, p, -38.0, 38.0)
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// x + x^3/3 + x^5/(3 5) + ...
fn series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() * 0.1 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    sum
}

/// density(x) / (x + 1/(x + 2/(x + 3/(x + ...)))), evaluated from far inside; for x > 4, 100 levels are exact.
fn upper_tail(x: f64) -> f64 {
    let fraction = (1..=100)
        .rev()
        .fold(x, |inner, level| x + f64::from(level) / inner);
    density(x) / fraction
}
