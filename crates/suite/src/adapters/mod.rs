//! One adapter per Rust library: how a specialist of that library would write these programs.

pub mod actix;
pub mod datil;
pub mod kameo;
pub mod ractor;
pub mod tokio;
