//! The Scoville benchmarks in Rust.
