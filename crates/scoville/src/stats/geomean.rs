//! Geometric mean of typical ratios over a suite, with the uncertainty that comes from the measurements.
//!
//! The geometric mean is the one summary of normalised numbers that does not depend on the baseline: Fleming and Wallace,
//! "How not to lie with statistics", CACM 29 (1986). Its interval resamples the blocks within each benchmark (Efron 1979).
//! The benchmarks are not resampled: the suite is fixed, and the spread over benchmarks is no noise. Resampling few blocks
//! makes too narrow an interval for two reasons; both are mended as in Hesterberg, "What teachers should know about the
//! bootstrap", The American Statistician 69 (2015): each benchmark's deviations are widened by sqrt(n/(n-1)), and the
//! whole by the ratio of the t to the normal quantile, with degrees of freedom after Welch and Satterthwaite.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::interval::Interval;
use super::quantile::of_sorted;
use super::signed_rank::typical;
use super::{normal, student};

/// Resamples. The end of a 95 % interval is then the 25th value from the end.
const RESAMPLES: usize = 1000;

/// Mean of log-ratios over a suite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuiteMean {
    /// Mean over benchmarks of the typical log-ratio; `exp` of it is the geometric mean.
    pub value: f64,
    /// Its interval; `None` where some benchmark has a single block.
    pub interval: Option<Interval>,
}

/// The mean over benchmarks of Hodges-Lehmann estimates; `benchmarks` holds the log-ratios of each one's blocks.
/// `None` where there is no benchmark or one without blocks.
///
/// A suite of one benchmark has the interval of its own pair and none here.
pub fn suite_mean(benchmarks: &[&[f64]], confidence: f64, seed: u64) -> Option<SuiteMean> {
    let centres: Vec<f64> = benchmarks
        .iter()
        .map(|blocks| typical(blocks, confidence).map(|t| t.value))
        .collect::<Option<_>>()?;
    if centres.is_empty() {
        return None;
    }
    let value = student::mean(&centres);
    let resampled = benchmarks.len() > 1 && benchmarks.iter().all(|blocks| blocks.len() > 1);
    let interval = resampled.then(|| {
        let deviations = deviations(benchmarks, &centres, seed);
        let freedom = freedom(benchmarks);
        let widen = student::factor(confidence, freedom) / normal::quantile(0.5 + confidence / 2.0);
        let tail = (1.0 - confidence) / 2.0;
        Interval {
            low: value + widen * of_sorted(&deviations, tail),
            high: value + widen * of_sorted(&deviations, 1.0 - tail),
            confidence,
        }
    });
    Some(SuiteMean { value, interval })
}

/// Deviations of the resampled suite means from the mean found, in ascending order.
fn deviations(benchmarks: &[&[f64]], centres: &[f64], seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sums = vec![0.0; RESAMPLES];
    for (blocks, centre) in benchmarks.iter().zip(centres) {
        let resampler = Resampler::new(blocks);
        let n = blocks.len() as f64;
        let widen = (n / (n - 1.0)).sqrt() / benchmarks.len() as f64;
        for sum in &mut sums {
            *sum += widen * (resampler.draw(&mut random) - centre);
        }
    }
    sums.sort_unstable_by(f64::total_cmp);
    sums
}

/// Degrees of freedom of the sum of the benchmarks' variances.
fn freedom(benchmarks: &[&[f64]]) -> u32 {
    let (mut sum, mut fourth) = (0.0, 0.0);
    for blocks in benchmarks {
        let n = blocks.len() as f64;
        let variance = student::deviation(blocks).unwrap_or(0.0).powi(2) / n;
        sum += variance;
        fourth += variance * variance / (n - 1.0);
    }
    let freedom = sum * sum / fourth;
    if freedom.is_finite() {
        (freedom as u32).max(1)
    } else {
        1
    }
}

/// Draws Hodges-Lehmann estimates of resamples. The pairwise means are sorted once; a resample only changes how often
/// each of them counts.
struct Resampler {
    n: usize,
    /// Pairwise means in ascending order, with the two blocks they come from.
    means: Vec<(f64, u32, u32)>,
}

impl Resampler {
    fn new(blocks: &[f64]) -> Self {
        let n = blocks.len();
        let mut means = Vec::with_capacity(n * (n + 1) / 2);
        for i in 0..n {
            means.extend((i..n).map(|j| (0.5 * blocks[i] + 0.5 * blocks[j], i as u32, j as u32)));
        }
        means.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Resampler { n, means }
    }

    fn draw(&self, random: &mut Xoshiro256PlusPlus) -> f64 {
        let mut counts = vec![0u32; self.n];
        for _ in 0..self.n {
            // High bits times n: the bias of n / 2^32 is far below anything seen here.
            let index = ((random.next_u64() >> 32) * self.n as u64) >> 32;
            counts[index as usize] += 1;
        }
        let all = (self.n * (self.n + 1) / 2) as u32;
        let (mut seen, mut lower) = (0, None);
        for &(mean, i, j) in &self.means {
            let (a, b) = (counts[i as usize], counts[j as usize]);
            seen += if i == j { a * (a + 1) / 2 } else { a * b };
            if seen > (all - 1) / 2 && lower.is_none() {
                lower = Some(mean);
            }
            if seen > all / 2 {
                return 0.5 * (lower.unwrap_or(mean) + mean);
            }
        }
        unreachable!("the counts add up to all pairs")
    }
}
