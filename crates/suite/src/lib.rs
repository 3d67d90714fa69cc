//! The Scoville benchmarks in Rust.
//!
//! Each benchmark ([`benchmarks`]) is written once, generic over a small trait ([`library::ActorLibrary`]) with static
//! dispatch. Each library has an adapter (`adapters`). `peer` speaks the laboratory's protocol.
//!
//! To add a benchmark, write its file in the folder of its group, implement [`benchmark::Benchmark`] or
//! [`benchmark::Phased`], and list it in the group's `all`. To add a library, implement [`library::ActorLibrary`] and
//! [`library::Host`] and list it in `runtimes`.
//!
//! Without the feature `runtimes` there are neither adapters nor list nor peer: benchmarks for a library that is no part of
//! the suite.

#[cfg(feature = "runtimes")]
pub mod adapters;
pub mod benchmark;
pub mod benchmarks;
pub mod counting;
pub mod iteration;
pub mod library;
pub mod parameters;
#[cfg(feature = "runtimes")]
pub mod peer;
#[cfg(feature = "runtimes")]
mod presence;
#[cfg(feature = "runtimes")]
pub mod runtimes;
pub mod tools;

#[cfg(feature = "runtimes")]
pub use runtimes::{Runtime, runtimes};
