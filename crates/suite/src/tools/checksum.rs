//! The checksum over sequences of the benchmark conventions.

const MODULUS: i64 = 2_147_483_647;

/// A checksum that depends on the order of the values, as they come one by one.
#[derive(Clone, Debug)]
pub struct SequenceHash(i64);

impl Default for SequenceHash {
    /// The checksum of no value.
    fn default() -> Self {
        Self(1)
    }
}

impl SequenceHash {
    /// Adds a value, which may be any integer of up to 62 bits that is not negative.
    pub fn add(&mut self, value: i64) {
        // The product stays below 2^51.
        self.0 = (self.0 * 1_000_003 + value) % MODULUS;
    }

    /// The checksum of all values so far.
    pub fn value(&self) -> i64 {
        self.0
    }
}

/// The checksum of a whole sequence.
pub fn sequence_hash(values: impl IntoIterator<Item = i64>) -> i64 {
    let mut hash = SequenceHash::default();
    values.into_iter().for_each(|value| hash.add(value));
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_convention() {
        assert_eq!(sequence_hash([1, 2, 3]), 330_182_277);
        assert_eq!(sequence_hash([]), 1);
    }

    #[test]
    fn order_and_zeros_matter() {
        assert_ne!(sequence_hash([1, 2, 3]), sequence_hash([3, 2, 1]));
        assert_ne!(sequence_hash([1]), sequence_hash([0, 1]));
        assert_ne!(sequence_hash([1]), sequence_hash([1, 0]));
    }
}
