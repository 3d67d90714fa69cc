//! The programs written by hand, by library.

pub mod actix;
pub mod datil;
mod fib;
pub mod kameo;
pub mod ractor;
mod tally;
pub mod tokio;
