//! Random numbers of one call: they depend on the seed and the call's number only.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// A stream of draws.
#[derive(Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// The stream of one call.
    pub fn new(seed: u64, call: u64) -> Self {
        // The generator's own seeding scrambles, so neighbouring seeds give unrelated streams.
        Draw(Xoshiro256PlusPlus::seed_from_u64(
            seed ^ call.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ))
    }

    /// Evenly in (0, 1).
    pub fn even(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.even() < probability
    }

    /// A log-normal factor with median 1 and this standard deviation of its logarithm.
    pub fn factor(&mut self, sd: f64) -> f64 {
        let radius = (-2.0 * self.even().ln()).sqrt();
        (sd * radius * (std::f64::consts::TAU * self.even()).cos()).exp()
    }
}
