//! The benchmarks, each written once. What each does is laid down in the catalogue.
//!
//! What a handler computes for long stands in a function that knows no library and is never inlined. So all libraries of a binary
//! run the same machine code there, and none is faster by where the compiler happened to put its loops. Short loops (a filter of `sieve`,
//! the walk of `concsll`, the logarithms of `bndbuffer`, the busy loop of `tools/rng.rs`, a bank of `filterbank`) are left to the
//! compiler: with those of `sieve`, `concsll`, `bndbuffer` and `cigsmok` never inlined, too, no library gained or lost by the others.
//!
//! The feature `all-benchmarks` decides whether the libraries offer more than the micro-benchmarks.

mod concurrency;
mod extended;
mod kinds;
mod micro;
mod parallelism;

pub use concurrency::{
    Banking, Barber, BoundedBuffer, CigaretteSmokers, ConcurrentDictionary, ConcurrentList, LogisticMap,
    Philosophers,
};
pub use extended::{
    BigNeighbours, Chat, FairChameneos, Fannkuch, MatrixSearch, Mixed, Pairs, PingPing, Spawn,
};
pub use micro::{
    Big, Chameneos, Count, Fibonacci, ForkJoinCreation, ForkJoinThroughput, PingPong, ThreadRing,
};
pub use parallelism::{
    AStar, AllPairsShortestPath, BitonicSort, CobwebbedTree, FacilityLocation, FilterBank,
    MatrixMultiplication, NQueens, PiPrecision, Quicksort, RadixSort, Relaxation, Sieve, Trapezoid,
};

use crate::iteration::Program;
#[cfg(feature = "all-benchmarks")]
use crate::iteration::program;
use crate::library::Host;

/// Whether [`all`] has the benchmarks of all categories.
pub const COMPLETE: bool = cfg!(feature = "all-benchmarks");

/// All benchmarks that libraries offer in this build, on the library `L`, in catalogue order.
pub fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    #[cfg(feature = "all-benchmarks")]
    return complete();
    #[cfg(not(feature = "all-benchmarks"))]
    return micro::all();
}

/// The benchmarks of all categories on the library `L`, in catalogue order, whatever this build offers: for a library
/// that is no part of the suite.
pub fn complete<L: Host>() -> Vec<Box<dyn Program<L>>> {
    let groups = [
        micro::all::<L>(),
        concurrency::all::<L>(),
        parallelism::all::<L>(),
        extended::all::<L>(),
    ];
    groups.into_iter().flatten().collect()
}

/// The benchmarks some of whose requests only read, on the library `L`.
#[cfg(feature = "all-benchmarks")]
pub fn with_reads<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![
        program::<L, ConcurrentDictionary>(),
        program::<L, ConcurrentList>(),
    ]
}

/// The benchmarks some of whose messages are more urgent than others, on the library `L`.
#[cfg(feature = "all-benchmarks")]
pub fn with_urgency<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![program::<L, AStar>(), program::<L, NQueens>()]
}
