//! The parallelism benchmarks of the Savina suite.

mod apsp;
mod astar;
mod bitonicsort;
mod facloc;
mod filterbank;
mod nqueenk;
mod piprecision;
mod quicksort;
mod radixsort;
mod recmatmul;
mod sieve;
mod sor;
mod stream;
mod trapezoid;
mod uct;

pub use apsp::AllPairsShortestPath;
pub use astar::AStar;
pub use bitonicsort::BitonicSort;
pub use facloc::FacilityLocation;
pub use filterbank::FilterBank;
pub use nqueenk::NQueens;
pub use piprecision::PiPrecision;
pub use quicksort::Quicksort;
pub use radixsort::RadixSort;
pub use recmatmul::MatrixMultiplication;
pub use sieve::Sieve;
pub use sor::Relaxation;
pub use trapezoid::Trapezoid;
pub use uct::CobwebbedTree;

use crate::iteration::{Program, program};
use crate::library::Host;

/// The benchmarks of this group on the library `L`, in catalogue order.
pub(super) fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![
        program::<L, AllPairsShortestPath>(),
        program::<L, AStar>(),
        program::<L, NQueens>(),
        program::<L, MatrixMultiplication>(),
        program::<L, Quicksort>(),
        program::<L, RadixSort>(),
        program::<L, FilterBank>(),
        program::<L, BitonicSort>(),
        program::<L, Sieve>(),
        program::<L, CobwebbedTree>(),
        program::<L, FacilityLocation>(),
        program::<L, Trapezoid>(),
        program::<L, PiPrecision>(),
        program::<L, Relaxation>(),
    ]
}
