//! Family-wise error: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
//! Statistics 6 (1979).

/// Adjusted p values, in the order of `p`: rejecting where they are at most `alpha` makes the probability of any false
/// rejection in the family at most `alpha`, however the tests depend on each other.
pub fn adjust(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut adjusted = vec![1.0; p.len()];
    let mut largest: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        largest = largest.max((p[i] * (p.len() - rank) as f64).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}
