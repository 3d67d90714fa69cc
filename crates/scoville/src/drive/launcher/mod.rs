//! The launcher: a small process with one thread that forks the runtimes.
//!
//! The laboratory does not fork itself, because a child inherits the resident size of whoever forks it until it execs, and
//! because only a process with one thread may fork safely. The launcher is the laboratory's own binary, started again
//! with [`ARGUMENT`] before it has allocated anything. It is the parent of every runtime, the reaper of what they
//! orphan, and ends them all when the laboratory is gone.

mod child;
mod client;
mod serve;
mod wire;

pub use client::{Launched, Launcher, Wiring};
pub use serve::main;
pub use wire::{NotStarted, Reaped, Request, Spawn};

/// First argument of the launcher's command line.
pub const ARGUMENT: &str = "__launch";
