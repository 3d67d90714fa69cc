//! Simulated machines for actor programs: how would this benchmark run, scheduled by that policy, on a machine that
//! you do not have?
//!
//! A discrete-event host with a virtual clock ([`host`]) executes the suite's own actors ([`library::Simulated`]),
//! decides with the very policies of `datil-policy`, and charges what the machine's memory ([`machine`]) and the
//! programs' work ([`programs`]) cost. The same settings and seed give the same run. What comes out is simulated, not
//! measured, and says so wherever it is printed.

pub mod acceptance;
mod actor;
pub mod host;
mod laboratory;
pub mod library;
pub mod machine;
pub mod policies;
pub mod programs;
mod progress;
mod sequential;
pub mod woelke_2018;

pub use host::{Run, Settings};
pub use programs::simulate;
pub use progress::{Progress, Watch, unwatched};
