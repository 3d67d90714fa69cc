//! Simulated noise, seeded.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of random numbers.
pub struct Noise {
    random: Xoshiro256PlusPlus,
}

impl Noise {
    pub fn new(seed: u64) -> Self {
        Noise {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal, after Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    /// True with this probability.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Deviation of an invocation in logarithms: normal with this standard deviation; with probability `tail` slow by a
    /// further 5 to 25 %.
    pub fn invocation(&mut self, sd: f64, tail: f64) -> f64 {
        let normal = sd * self.normal();
        if self.chance(tail) {
            normal + 0.05 + 0.2 * self.uniform()
        } else {
            normal
        }
    }
}

/// Drift of a machine over `n` blocks, in logarithms.
#[derive(Clone, Copy, Debug)]
pub enum Drift {
    /// None.
    None,
    /// Slower by 3 % from first to last.
    Trend,
    /// Autocorrelated, coefficient 0.8, standard deviation 2 %.
    Wander,
    /// One step of 3 % in the middle.
    Step,
}

pub const DRIFTS: [Drift; 4] = [Drift::None, Drift::Trend, Drift::Wander, Drift::Step];

impl Drift {
    /// One value for each of `n` moments.
    pub fn series(self, n: usize, noise: &mut Noise) -> Vec<f64> {
        let mut level = 0.02 * noise.normal();
        let mut wander = || {
            level = 0.8 * level + 0.6 * 0.02 * noise.normal();
            level
        };
        (0..n)
            .map(|i| match self {
                Drift::None => 0.0,
                Drift::Trend => 0.03 * i as f64 / n as f64,
                Drift::Wander => wander(),
                Drift::Step => {
                    if 2 * i >= n {
                        0.03
                    } else {
                        0.0
                    }
                }
            })
            .collect()
    }
}

/// The smallest and largest count of successes in `trials` that a true probability `p` explains: five standard
/// deviations of the binomial, so that a right implementation fails one test in a million.
pub fn explained(p: f64, trials: u32) -> (f64, f64) {
    let sd = (p * (1.0 - p) / f64::from(trials)).sqrt();
    (p - 5.0 * sd, p + 5.0 * sd)
}

/// Asserts that a count of successes agrees with a probability between `low` and `high`.
pub fn assert_share(what: &str, successes: u32, trials: u32, low: f64, high: f64) {
    let share = f64::from(successes) / f64::from(trials);
    let (at_least, at_most) = (explained(low, trials).0, explained(high, trials).1);
    assert!(
        (at_least..=at_most).contains(&share),
        "{what}: {share:.4} of {trials}, expected {low} to {high} (within {at_least:.4} to {at_most:.4})"
    );
}
