//! Tools that all benchmarks share.

pub mod collector;
mod latch;
pub mod panics;
mod rng;

pub use latch::{Latch, TimedOut};
pub use rng::{Rng, busy};
