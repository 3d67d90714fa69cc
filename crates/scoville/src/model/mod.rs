//! The values that pass between the rooms of the laboratory: data only, no I/O, no clock.

pub mod analysis;
pub mod benchmark;
pub mod event;
pub mod formula;
pub mod invocation;
pub mod linear;
pub mod machine;
pub mod plan;
pub mod reading;
pub mod runtime;
pub mod verified;
