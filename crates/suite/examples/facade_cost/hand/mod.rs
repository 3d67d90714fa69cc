//! The programs written by hand.

pub mod datil;
pub mod tokio;
