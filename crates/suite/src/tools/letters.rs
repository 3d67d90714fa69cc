//! The generator of letters of the extended benchmarks.

/// A linear congruential generator with 32 bits of state; the constants are those of Numerical Recipes.
#[derive(Clone, Debug)]
pub struct L32 {
    state: u32,
}

impl L32 {
    /// A generator with this seed, of which only the low 32 bits matter. Nothing is drawn.
    pub fn new(seed: i64) -> Self {
        Self { state: seed as u32 }
    }

    /// The next letter of an alphabet of `letters`, in `0..letters`. `letters` is in 1..=256.
    pub fn char(&mut self, letters: u32) -> u8 {
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(self.state) * u64::from(letters)) >> 32) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_letters_are_those_of_the_convention() {
        let mut letters = L32::new(12345);
        assert_eq!([0; 5].map(|_| letters.char(4)), [0, 0, 2, 2, 3]);
    }

    #[test]
    fn only_the_low_32_bits_of_a_seed_matter() {
        let (mut one, mut other) = (L32::new(12345), L32::new(12345 | 7 << 40));
        assert_eq!([0; 9].map(|_| one.char(256)), [0; 9].map(|_| other.char(256)));
    }
}
