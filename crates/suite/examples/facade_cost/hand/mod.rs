//! The programs written by hand.

pub mod actix;
pub mod datil;
pub mod kameo;
pub mod ractor;
pub mod tokio;
