//! A small generator for victims.

/// SplitMix64 (Steele, Lea, Flood 2014): one addition and three multiplications per number, any seed is good.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless sequence is not an iterator here"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`; `bound` must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        // Multiply-shift; the bias of at most 2^-32 does not matter for victims.
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// One of the `workers - 1` workers other than `me`; `None` if there is no other.
    pub fn other(&mut self, me: u32, workers: u32) -> Option<u32> {
        if workers < 2 {
            return None;
        }
        let pick = self.below(workers - 1);
        Some(if pick >= me { pick + 1 } else { pick })
    }
}
