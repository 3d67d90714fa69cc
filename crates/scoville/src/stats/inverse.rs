//! Quantiles of a continuous distribution from its distribution function.

/// The point where the non-decreasing function `cdf` reaches `p`, found by bisection within `[low, high]` to the last
/// bit that a double can hold. The ends are returned where `p` lies outside.
pub fn invert(cdf: impl Fn(f64) -> f64, p: f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}
