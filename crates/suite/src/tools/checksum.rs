//! The checksum over sequences of the benchmark conventions.

const MODULUS: i64 = 2_147_483_647;

/// A checksum that depends on the order of the values. Each value may be any integer of up to 62 bits that is not negative.
pub fn sequence_hash(values: impl IntoIterator<Item = i64>) -> i64 {
    // The product stays below 2^51.
    values
        .into_iter()
        .fold(1, |hash, value| (hash * 1_000_003 + value) % MODULUS)
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
