//! The protocols between workers as small state machines, with the memory orderings of the code, run by loom
//! through every interleaving (up to a bound on preemptions). Each model names the functions it mirrors.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p datil --release --test models`.
#![cfg(loom)]

mod absence;
mod adoption;
mod arrivals;
mod brought;
mod cell;
mod inbox;
mod mailbox;
mod naps;
mod pressure;
mod quiescence;
mod readers;
mod wakeups;
mod worker;

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}
