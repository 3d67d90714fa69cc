//! Holm's adjustment over the families that a reader looks at: all benchmarks for one pair of runtimes at one size, one
//! core count and one measure.

use std::collections::BTreeMap;

use crate::model::analysis::GroupAnalysis;
use crate::stats::holm;

/// Sets every pair's adjusted p value, where it has a p value.
pub(super) fn adjust(groups: &mut [GroupAnalysis]) {
    let mut families: BTreeMap<_, Vec<(usize, usize)>> = BTreeMap::new();
    for (g, group) in groups.iter().enumerate() {
        for (i, pair) in group
            .pairs
            .iter()
            .enumerate()
            .filter(|(_, pair)| pair.p.is_some())
        {
            let family = (&group.key.preset, group.key.cores, pair.measure, &pair.a, &pair.b);
            families.entry(family).or_default().push((g, i));
        }
    }
    let families: Vec<Vec<(usize, usize)>> = families.into_values().collect();
    for family in families {
        let p: Vec<f64> = family.iter().filter_map(|&(g, i)| groups[g].pairs[i].p).collect();
        for (&(g, i), adjusted) in family.iter().zip(holm::adjust(&p)) {
            groups[g].pairs[i].p_holm = Some(adjusted);
        }
    }
}
