//! Measures actor runtimes and compares them honestly.
//!
//! Data flows one way through the modules:
//!
//! ```text
//! catalogue, peers -> plan -> schedule -> drive -> log -> stats -> judge -> render
//! ```
//!
//! [`model`] holds the values that pass between them and does no I/O. Measuring code never prints, rendering code
//! never computes a statistic, and nothing but the log writes results.

pub mod catalogue;
pub mod command;
pub mod digits;
pub mod drive;
pub mod glob;
pub mod home;
pub mod judge;
pub mod log;
pub mod model;
pub mod peers;
pub mod plain;
pub mod plan;
pub mod probe;
pub mod render;
pub mod schedule;
pub mod session;
pub mod stats;
pub mod suggest;
pub mod tail;
pub mod toml_file;
