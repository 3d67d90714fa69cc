//! What the sorting benchmarks keep of the stream that they end in.

use crate::benchmark::Outcome;
use crate::tools::SequenceHash;

/// Sums, order and number of the values seen so far.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    hash: SequenceHash,
    count: i64,
    sum: i64,
    errors: i64,
    previous: i64,
}

impl Stream {
    /// Sees one more value, which is not negative.
    pub(super) fn see(&mut self, value: i64) {
        self.hash.add(value);
        self.count += 1;
        self.sum += value;
        self.errors += i64::from(value < self.previous);
        self.previous = value;
    }

    /// How many values have been seen.
    pub(super) fn count(&self) -> i64 {
        self.count
    }

    /// Result and checks of a benchmark that sorts a stream.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome::new(self.hash.value())
            .check("count", self.count)
            .check("errors", self.errors)
            .check("sum", self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;
    use crate::benchmark::Outcome;

    #[test]
    fn values_out_of_order_are_errors() {
        let mut stream = Stream::default();
        for value in [1, 3, 2, 2, 0] {
            stream.see(value);
        }
        let expected = Outcome::new(crate::tools::sequence_hash([1, 3, 2, 2, 0]));
        let expected = expected.check("count", 5).check("errors", 2).check("sum", 8);
        assert_eq!(stream.outcome(), expected);
        assert_eq!(stream.count(), 5);
    }
}
