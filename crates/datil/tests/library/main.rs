//! What datil promises beyond messages, one promise per test, each with one and with several workers.

mod ask;
mod behaviour;
mod supervision;
mod support;
mod watch;
