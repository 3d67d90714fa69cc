//! The micro-benchmarks of the Savina suite.

mod big;
mod chameneos;
mod count;
mod fib;
mod fjcreate;
mod fjthrput;
mod pingpong;
mod threadring;

pub use big::Big;
pub use chameneos::Chameneos;
pub use count::Count;
pub use fib::Fibonacci;
pub use fjcreate::ForkJoinCreation;
pub use fjthrput::ForkJoinThroughput;
pub use pingpong::PingPong;
pub use threadring::ThreadRing;

use crate::iteration::{Program, program};
use crate::library::Host;

/// The benchmarks of this group on the library `L`, in catalogue order.
pub(super) fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![
        program::<L, PingPong>(),
        program::<L, ThreadRing>(),
        program::<L, Count>(),
        program::<L, ForkJoinThroughput>(),
        program::<L, ForkJoinCreation>(),
        program::<L, Fibonacci>(),
        program::<L, Chameneos>(),
        program::<L, Big>(),
    ]
}
