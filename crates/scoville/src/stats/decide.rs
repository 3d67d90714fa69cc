//! How many more observations would decide.

use super::student::factor;

/// More than this many blocks is no advice.
const FUTILE: u32 = 10_000;

/// Further paired observations after which an undecided log-ratio would be either clear of zero or inside
/// `[-margin, margin]`, whichever comes first, if the estimate stays where it is and the half-width shrinks like that of a
/// t interval. `None` below two observations, or where no sensible number is enough.
///
/// `half_width` is that of the present interval over `n` observations, at `confidence`.
pub fn further_blocks(estimate: f64, half_width: f64, n: u32, margin: f64, confidence: f64) -> Option<u32> {
    if n < 2 || !half_width.is_finite() {
        return None;
    }
    let enough = estimate.abs().max(margin - estimate.abs());
    let deviation = half_width * f64::from(n).sqrt() / factor(confidence, n - 1);
    let width_at = |total: u32| deviation * factor(confidence, total - 1) / f64::from(total).sqrt();
    let (mut too_few, mut sufficient) = (n, n.saturating_add(FUTILE));
    if width_at(sufficient) > enough {
        return None;
    }
    while sufficient - too_few > 1 {
        let middle = too_few + (sufficient - too_few) / 2;
        if width_at(middle) > enough {
            too_few = middle;
        } else {
            sufficient = middle;
        }
    }
    Some(sufficient - n)
}
