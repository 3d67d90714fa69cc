//! What datil promises beyond messages, one promise per test, each with one and with several workers.

mod ask;
mod behaviour;
mod blocking;
mod bounded;
mod groups;
mod handles;
mod names;
mod panics;
mod pressure;
mod queries;
mod shutdown;
mod simulation;
mod supervision;
mod support;
mod timers;
mod watch;
