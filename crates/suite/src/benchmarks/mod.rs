//! The benchmarks, each written once. What each does is laid down in the catalogue.
//!
//! The feature `all-benchmarks` decides whether there is more than the micro-benchmarks.

#[cfg(feature = "all-benchmarks")]
mod concurrency;
#[cfg(feature = "all-benchmarks")]
mod extended;
mod kinds;
mod micro;
#[cfg(feature = "all-benchmarks")]
mod parallelism;

#[cfg(feature = "all-benchmarks")]
pub use concurrency::{
    Banking, Barber, BoundedBuffer, CigaretteSmokers, ConcurrentDictionary, ConcurrentList, LogisticMap,
    Philosophers,
};
#[cfg(feature = "all-benchmarks")]
pub use extended::{
    BigNeighbours, Chat, FairChameneos, Fannkuch, MatrixSearch, Mixed, Pairs, PingPing, Spawn,
};
pub use micro::{
    Big, Chameneos, Count, Fibonacci, ForkJoinCreation, ForkJoinThroughput, PingPong, ThreadRing,
};
#[cfg(feature = "all-benchmarks")]
pub use parallelism::{
    AStar, AllPairsShortestPath, BitonicSort, CobwebbedTree, FacilityLocation, FilterBank,
    MatrixMultiplication, NQueens, PiPrecision, Quicksort, RadixSort, Relaxation, Sieve, Trapezoid,
};

use crate::iteration::Program;
use crate::library::Host;

/// Whether this build has the benchmarks of all categories.
pub const COMPLETE: bool = cfg!(feature = "all-benchmarks");

/// All benchmarks of this build on the library `L`, in catalogue order.
pub fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    let groups = [
        micro::all::<L>(),
        #[cfg(feature = "all-benchmarks")]
        concurrency::all::<L>(),
        #[cfg(feature = "all-benchmarks")]
        parallelism::all::<L>(),
        #[cfg(feature = "all-benchmarks")]
        extended::all::<L>(),
    ];
    groups.into_iter().flatten().collect()
}
