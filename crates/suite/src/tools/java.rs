//! The pseudo-random generator of Java's `java.util.Random`.

/// A linear congruential generator with 48 bits of state, as the Java documentation publishes it (multiplier and increment
/// are Knuth's). One per owner, never shared between actors.
#[derive(Clone, Debug)]
pub struct J48 {
    state: u64,
}

const MULTIPLIER: u64 = 25_214_903_917;
const MASK: u64 = (1 << 48) - 1;

impl J48 {
    /// A generator with this seed, of which only the low 48 bits matter. Nothing is drawn.
    pub fn new(seed: i64) -> Self {
        Self {
            state: (seed as u64 ^ MULTIPLIER) & MASK,
        }
    }

    /// The next number, of `count` bits: the most significant ones of the state. `count` is in 1..=48.
    pub fn bits(&mut self, count: u32) -> i64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(11) & MASK;
        (self.state >> (48 - count)) as i64
    }

    /// The next number as a truth value: the stream of Java's `nextBoolean`.
    pub fn bool(&mut self) -> bool {
        self.bits(1) == 1
    }

    /// The next number modulo `bound`, which must be at least 1. Unlike Java's `nextInt` it never draws again.
    pub fn int(&mut self, bound: i64) -> i64 {
        self.bits(31) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_convention() {
        let expected = [1_570_126_108, 630_021_372, 1_935_844_040, 8_925_067];
        let mut bits = J48::new(2);
        assert_eq!(expected.map(|_| bits.bits(31)), expected);
        let mut bounded = J48::new(2);
        assert_eq!(
            expected.map(|_| bounded.int(1000)),
            expected.map(|value| value % 1000)
        );
    }

    #[test]
    fn truth_values_are_those_of_the_convention() {
        let mut random = J48::new(123_456);
        let drawn: Vec<u8> = (0..12).map(|_| random.bool().into()).collect();
        assert_eq!(drawn, [0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0]);
    }

    #[test]
    fn only_the_low_48_bits_of_a_seed_matter() {
        for seed in [-1, i64::MIN, i64::MAX, 1 << 60] {
            assert_eq!(
                J48::new(seed).bits(48),
                J48::new(seed & MASK as i64).bits(48),
                "{seed}"
            );
        }
    }
}
