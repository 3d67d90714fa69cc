//! Student's t distribution with whole degrees of freedom, and the interval of a mean.
//!
//! Distribution function: the finite trigonometric sums of Abramowitz and Stegun 26.7.3 and 26.7.4, all of whose terms
//! are positive. Interval: Student, "The probable error of a mean", Biometrika 6 (1908).

use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::PI;

use super::interval::Interval;
use super::inverse::invert;
use super::normal;

/// Above this many degrees of freedom the normal distribution stands in: their 97.5 % quantiles differ by 0.02 %.
const NORMAL_FROM: u32 = 5000;

/// Above this many degrees of freedom quantiles are expanded around those of the normal distribution; the error of the
/// 97.5 % quantile is below 0.000 01 there.
const EXPANDED_ABOVE: u32 = 100;

/// Probability of a value up to `t` with `freedom` degrees of freedom.
///
/// # Panics
/// If `freedom` is 0.
pub fn cdf(t: f64, freedom: u32) -> f64 {
    assert!(freedom > 0, "Student's t needs at least one degree of freedom");
    if freedom >= NORMAL_FROM {
        return normal::cdf(t);
    }
    0.5 + 0.5 * within(t.abs(), freedom).copysign(t)
}

/// Probability of a value between -t and t.
fn within(t: f64, freedom: u32) -> f64 {
    let angle = (t / f64::from(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = if odd { (cosine, cosine) } else { (1.0, 1.0) };
    let mut k = if odd { 3 } else { 2 };
    while k < freedom {
        term *= cosine * cosine * f64::from(k - 1) / f64::from(k);
        sum += term;
        k += 2;
    }
    match (odd, freedom) {
        (true, 1) => 2.0 / PI * angle,
        (true, _) => 2.0 / PI * (angle + sine * sum),
        (false, _) => sine * sum,
    }
}

/// The point below which a share `p` (strictly between 0 and 1) of the distribution lies. Above
/// 100 degrees of freedom by the expansion of Abramowitz and Stegun 26.7.5.
///
/// # Panics
/// If `freedom` is 0.
pub fn quantile(p: f64, freedom: u32) -> f64 {
    if freedom <= EXPANDED_ABOVE {
        return invert(|t| cdf(t, freedom), p, -1e6, 1e6);
    }
    let (z, n) = (normal::quantile(p), f64::from(freedom));
    let first = (z.powi(3) + z) / (4.0 * n);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
    z + first + second
}

/// The multiple of the standard error that a two-sided interval of this confidence extends to. Remembered per thread:
/// a report asks for the same few of them a hundred thousand times.
pub fn factor(confidence: f64, freedom: u32) -> f64 {
    thread_local! {
        static KNOWN: RefCell<HashMap<(u64, u32), f64>> = RefCell::default();
    }
    let compute = || quantile(0.5 + confidence / 2.0, freedom);
    KNOWN.with_borrow_mut(|known| {
        *known
            .entry((confidence.to_bits(), freedom))
            .or_insert_with(compute)
    })
}

/// Mean of independent observations.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample standard deviation, with n - 1; `None` below two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Interval of the mean; `None` below two values. On logarithms it is an interval of the geometric mean.
pub fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let deviation = deviation(values)?;
    let n = values.len();
    let reach = factor(confidence, (n - 1) as u32) * deviation / (n as f64).sqrt();
    let centre = mean(values);
    Some(Interval {
        low: centre - reach,
        high: centre + reach,
        confidence,
    })
}
