//! The benchmarks, each written once. What each does is laid down in the catalogue.

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
use crate::library::Host;

/// All benchmarks on the library `L`, in catalogue order.
pub fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    let groups = [
        micro::all::<L>(),
        concurrency::all::<L>(),
        parallelism::all::<L>(),
        extended::all::<L>(),
    ];
    groups.into_iter().flatten().collect()
}
