//! An actor runtime with worker-owned actors.

mod actor;
mod address;
mod client;
mod futex;
mod mailbox;
mod pool;
mod runtime;
mod worker;

pub use actor::{Actor, Context};
pub use address::Address;
pub use client::Client;
pub use datil_policy as policy;
pub use runtime::{BuildError, Builder, Leftovers, Metrics, PanicInfo, Runtime};
pub use worker::port::WorkerMetrics;
