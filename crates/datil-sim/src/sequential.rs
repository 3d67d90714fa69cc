//! Cells against a limit: whoever's seeds leave that open gets more of them.

use crate::laboratory::{Cell, Laboratory, Outcome, Ratio};

/// The seeds of an open comparison are doubled at most so many times.
const DOUBLINGS: u32 = 5;

/// A cell, and the one by which its makespans are.
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) one: Cell,
    pub(crate) other: Cell,
}

/// The ratios of all pairs, with so many seeds at least. Those of which nothing can be said are simulated with twice as many seeds, again and again, up to
/// `DOUBLINGS` times. Asking several times finds more by chance than asking once, for which [`Ratio::against`] allows.
///
/// # Errors
/// If a simulation fails.
pub(crate) fn decide(
    laboratory: &mut Laboratory,
    limit: f64,
    pairs: &[Pair],
    seeds: u64,
) -> Result<Vec<(String, Ratio)>, String> {
    let cells = pairs.iter().flat_map(|pair| [pair.one, pair.other]);
    laboratory.simulate(cells.map(|cell| (cell, seeds)))?;
    for _ in 0..DOUBLINGS {
        let open = |pair: &&Pair| {
            let ratio = laboratory.ratio(pair.one, pair.other);
            ratio.against(limit) == Outcome::Undecided
        };
        let more: Vec<(Cell, u64)> = pairs
            .iter()
            .filter(open)
            .flat_map(|pair| [pair.one, pair.other])
            .map(|cell| (cell, 2 * laboratory.runs(cell).len() as u64))
            .collect();
        if more.is_empty() {
            break;
        }
        laboratory.simulate(more)?;
    }
    let ratio = |pair: &Pair| (pair.name.clone(), laboratory.ratio(pair.one, pair.other));
    Ok(pairs.iter().map(ratio).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::unwatched;

    /// A wide limit is decided with the seeds that are there; one that a program's mean meets by a hair is not.
    #[test]
    fn only_open_comparisons_get_more_seeds() {
        let [one, other] = ["lgs", "cls-tp"].map(|policy| Cell::new("philosopher", policy, 8));
        let pair = || {
            vec![Pair {
                name: "philosopher".to_owned(),
                one,
                other,
            }]
        };
        let mut laboratory = Laboratory::with([], unwatched()).expect("nothing to do");
        let decided = decide(&mut laboratory, 1_000.0, &pair(), 3).expect("it runs");
        assert_eq!(decided[0].1.seeds, 3, "{decided:?}");
        let middle = laboratory.ratio(one, other).mean;
        let open = decide(&mut laboratory, middle, &pair(), 3).expect("it runs");
        assert!(open[0].1.seeds > 3, "{open:?}");
        assert_eq!(open[0].1.seeds as usize, laboratory.runs(other).len());
    }
}
