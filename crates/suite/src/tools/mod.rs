//! Tools that all benchmarks share.

mod checksum;
pub mod collector;
mod java;
mod latch;
mod letters;
pub mod memory;
pub mod panics;
mod payload;
mod rng;

pub use checksum::{SequenceHash, sequence_hash};
pub use java::J48;
pub use latch::{Latch, TimedOut};
pub use letters::L32;
pub use payload::Payload;
pub use rng::{Rng, busy, spin};
