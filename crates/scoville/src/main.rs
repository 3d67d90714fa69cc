//! The command line of Scoville.
fn main() {}
