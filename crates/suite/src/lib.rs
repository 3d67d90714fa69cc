//! The Scoville benchmarks in Rust.
//!
//! Each benchmark ([`benchmarks`]) is written once, generic over a small trait ([`library::ActorLibrary`]) with static
//! dispatch. Each library has an adapter ([`adapters`]). [`peer`] speaks the laboratory's protocol.
//!
//! To add a benchmark, write its file in the folder of its group, implement [`benchmark::Benchmark`] or
//! [`benchmark::Phased`], and list it in the group's `all`. To add a library, implement [`library::ActorLibrary`] and
//! [`library::Host`] and list it in [`runtimes`].

pub mod adapters;
pub mod benchmark;
pub mod benchmarks;
pub mod counting;
pub mod iteration;
pub mod library;
pub mod parameters;
pub mod peer;
mod presence;
pub mod runtimes;
pub mod tools;

pub use runtimes::{Runtime, runtimes};
