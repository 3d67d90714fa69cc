//! How evenly something is shared.

use super::quantile::{of_sorted, sorted};

/// Jain's index (Jain, Chiu and Hawe, DEC Research Report TR-301, 1984): 1 where all shares are equal, 1/n where one
/// member has everything. `None` of no shares or where nothing was shared.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|s| s * s).sum();
    let index = sum * sum / (shares.len() as f64 * squares);
    index.is_finite().then_some(index)
}

/// Minimum, lower quartile, median, upper quartile, maximum; `None` of no values.
pub fn five_numbers(values: &[f64]) -> Option<[f64; 5]> {
    if values.is_empty() {
        return None;
    }
    let sorted = sorted(values);
    Some([0.0, 0.25, 0.5, 0.75, 1.0].map(|q| of_sorted(&sorted, q)))
}
