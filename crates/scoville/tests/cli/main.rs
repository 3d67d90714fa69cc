//! The program as a user meets it, with dummy runtimes in a small checkout of its own.

mod checkout;
#[path = "../dummy/mod.rs"]
mod dummy;
mod interruptions;
mod mistakes;
mod orientation;
mod runtimes;
mod sessions;
