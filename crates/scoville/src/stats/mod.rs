//! Statistics as pure functions. Nothing here knows what a benchmark is; every mechanism has a file and names its source.
//!
//! All functions expect finite numbers. A caller that has `NaN` or infinities in its data has a missing value and must
//! drop it, with a reason, before it comes here.

pub mod binomial;
pub mod bootstrap;
pub mod decide;
pub mod dispersion;
pub mod evenness;
pub mod geomean;
pub mod holm;
pub mod interval;
pub mod inverse;
pub mod normal;
pub mod order_statistics;
pub mod quantile;
pub mod segment;
pub mod signed_rank;
pub mod student;

pub use interval::Interval;
