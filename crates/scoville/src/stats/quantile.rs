//! Sample quantiles: definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American
//! Statistician 50 (1996), the one that R and NumPy use by default.

/// The quantile `q` (0 to 1) of values in ascending order; linear between neighbours, never outside their range.
///
/// # Panics
/// If there are no values.
pub fn of_sorted(sorted: &[f64], q: f64) -> f64 {
    assert!(!sorted.is_empty(), "a quantile of no values");
    let position = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (a, b) = (sorted[below], sorted[above]);
    // Clamped because a + (b - a) * 1 may miss b by one bit.
    (a + (b - a) * (position - below as f64)).clamp(a, b)
}

/// The median of the logarithms of positive values in ascending order, as a value: of an even count the geometric mean of the
/// middle two. `None` of no values.
pub fn median_of_logs(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    let (low, high) = (sorted.get(n.checked_sub(1)? / 2)?, sorted.get(n / 2)?);
    Some(low * (high / low).sqrt())
}

/// The values in ascending order.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    copy
}

/// The median; `None` of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| of_sorted(&sorted(values), 0.5))
}
