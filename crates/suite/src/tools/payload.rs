//! Payloads that actors send to and fro.

use std::sync::Arc;

use super::sequence_hash;

/// Bytes, passed on as a copy or shared. A byte is changed in every copy, so that leaving one out shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Bytes that have a single owner.
    Copied(Box<[u8]>),
    /// Immutable bytes.
    Shared(Arc<[u8]>),
}

impl Payload {
    /// A fresh payload of `size` bytes: byte i is 7i + 3, modulo 256.
    pub fn fresh(size: usize, shared: bool) -> Self {
        let bytes = (0..size).map(|i| (7 * i + 3) as u8);
        match shared {
            true => Self::Shared(bytes.collect()),
            false => Self::Copied(bytes.collect()),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }

    /// What is sent on: a newly allocated copy in which byte `i` is one more, modulo 256; or the same if it is shared.
    #[must_use]
    pub fn pass_on(self, i: usize) -> Self {
        match self {
            Self::Copied(bytes) => {
                let mut copy = bytes.clone();
                copy[i] = copy[i].wrapping_add(1);
                Self::Copied(copy)
            }
            shared @ Self::Shared(_) => shared,
        }
    }

    /// The checksum of the bytes.
    pub fn hash(&self) -> i64 {
        sequence_hash(self.bytes().iter().map(|byte| i64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_differs_in_one_byte_and_in_its_place() {
        let payload = Payload::fresh(40, false);
        assert_eq!(payload.bytes()[..3], [3, 10, 17]);
        assert_eq!(payload.bytes()[37], (7 * 37 + 3 - 256) as u8);
        let before = payload.bytes().to_vec();
        let address = payload.bytes().as_ptr();
        let copy = payload.pass_on(2);
        assert_ne!(copy.bytes().as_ptr(), address);
        assert_eq!(copy.bytes()[2], before[2] + 1);
        assert_eq!(copy.bytes()[3..], before[3..]);
    }

    #[test]
    fn a_byte_wraps_around() {
        let payload = (0..256).fold(Payload::fresh(1, false), |payload, _| payload.pass_on(0));
        assert_eq!(payload.bytes(), [3]);
    }

    #[test]
    fn a_shared_payload_stays_where_it_is() {
        let payload = Payload::fresh(4, true);
        let address = payload.bytes().as_ptr();
        let passed_on = payload.pass_on(2);
        assert_eq!(passed_on.bytes().as_ptr(), address);
        assert_eq!(passed_on.bytes(), [3, 10, 17, 24]);
    }

    #[test]
    fn the_checksum_is_that_of_the_entries() {
        for (size, hash) in [(5000, 62_083_442), (10000, 514_324_565), (500, 490_169_536)] {
            assert_eq!(Payload::fresh(size, true).hash(), hash);
        }
    }
}
