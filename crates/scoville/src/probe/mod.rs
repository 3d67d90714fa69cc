//! Facts and sensors of the machine.

pub mod block;
pub mod findings;
pub mod machine;
pub mod sensors;
pub mod topology;
pub mod usage;
