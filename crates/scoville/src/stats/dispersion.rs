//! Spread.

use super::quantile::median;
use super::student::{deviation, mean};

/// Makes the median absolute deviation of normal data estimate their standard deviation.
const NORMAL_CONSISTENCY: f64 = 1.482_602_218_505_602;

/// Coefficient of variation: standard deviation over mean. `None` below two values or where the mean is 0.
pub fn variation(values: &[f64]) -> Option<f64> {
    let centre = mean(values);
    let relative = deviation(values)? / centre.abs();
    relative.is_finite().then_some(relative)
}

/// Standard deviation of the noise around a level that may jump: scaled median absolute deviation of first differences,
/// over the square root of 2. One jump changes one difference, so levels hardly disturb it. `None` below two values.
pub fn noise(values: &[f64]) -> Option<f64> {
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Some(scale(&steps)? / std::f64::consts::SQRT_2)
}

/// Standard deviation of normal data, by the scaled median absolute deviation: up to half of the values may be anything.
/// `None` of no values.
pub fn scale(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    Some(NORMAL_CONSISTENCY * median(&distances)?)
}
