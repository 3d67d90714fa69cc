//! Benchmarks from outside the Savina suite.

mod bigneighbours;
mod chameneosfair;
mod chat;
mod fannkuch;
mod matrixsearch;
mod mixed;
mod pairs;
mod pingping;
mod spawn;

pub use bigneighbours::BigNeighbours;
pub use chameneosfair::FairChameneos;
pub use chat::Chat;
pub use fannkuch::Fannkuch;
pub use matrixsearch::MatrixSearch;
pub use mixed::Mixed;
pub use pairs::Pairs;
pub use pingping::PingPing;
pub use spawn::Spawn;

use crate::iteration::{Program, program};
use crate::library::Host;

/// The benchmarks of this group on the library `L`, in catalogue order.
pub(super) fn all<L: Host>() -> Vec<Box<dyn Program<L>>> {
    vec![
        program::<L, MatrixSearch>(),
        program::<L, BigNeighbours>(),
        program::<L, FairChameneos>(),
        program::<L, Fannkuch>(),
        program::<L, PingPing>(),
        program::<L, Spawn>(),
        program::<L, Pairs>(),
        program::<L, Mixed>(),
        program::<L, Chat>(),
    ]
}
