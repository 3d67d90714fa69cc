//! The concurrency benchmarks of the Savina suite.

mod banking;
mod barber;
mod bndbuffer;
mod cigsmok;
mod concdict;
mod concsll;
mod logmap;
mod philosopher;

pub use banking::Banking;
pub use barber::Barber;
pub use bndbuffer::BoundedBuffer;
pub use cigsmok::CigaretteSmokers;
pub use concdict::ConcurrentDictionary;
pub use concsll::ConcurrentList;
pub use logmap::LogisticMap;
pub use philosopher::Philosophers;

use crate::iteration::{Program, program};
use crate::library::Host;

/// The benchmarks of this group on the library `L`, in catalogue order.
pub(super) fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![
        program::<L, ConcurrentDictionary>(),
        program::<L, ConcurrentList>(),
        program::<L, BoundedBuffer>(),
        program::<L, Philosophers>(),
        program::<L, Barber>(),
        program::<L, CigaretteSmokers>(),
        program::<L, LogisticMap>(),
        program::<L, Banking>(),
    ]
}
