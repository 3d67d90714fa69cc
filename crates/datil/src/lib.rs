//! datil: an actor runtime for Rust, as a library, built for speed inside one process.
//!
//! ```
//! use datil::{Actor, Context, Runtime};
//! use std::sync::mpsc;
//!
//! struct Counter {
//!     count: u64,
//!     report: mpsc::Sender<u64>,
//! }
//!
//! enum Msg {
//!     Add(u64),
//!     Finish,
//! }
//!
//! impl Actor for Counter {
//!     type Msg = Msg;
//!
//!     fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
//!         match msg {
//!             Msg::Add(n) => self.count += n,
//!             Msg::Finish => {
//!                 self.report.send(self.count).expect("somebody waits");
//!                 cx.stop();
//!             }
//!         }
//!     }
//! }
//!
//! let runtime = Runtime::builder().workers(2).build()?;
//! let (report, result) = mpsc::channel();
//! let counter = runtime.spawn(Counter { count: 0, report });
//! for n in 1..=10 {
//!     counter.tell(Msg::Add(n));
//! }
//! counter.tell(Msg::Finish);
//! assert_eq!(result.recv(), Ok(55));
//! assert!(runtime.shutdown().is_empty());
//! # Ok::<(), datil::BuildError>(())
//! ```
//!
//! # How it works
//!
//! Every actor is owned by one worker thread. What actors of one worker do with each other is plain loads and stores; only messages between
//! workers use atomics. A worker that runs dry lets its actors be adopted by whoever writes to them; a worker with a lasting backlog gives half of
//! it to an idle one, and takes it back when that turns out not to pay. Who decides what is in the crate
//! [`policy`], chosen by name ([`Builder::policy`]) or as a type ([`Builder::build_with`]).
//!
//! # Beyond messages
//!
//! | to do | see |
//! | --- | --- |
//! | ask and be answered | [`Context::ask`], [`Address::ask`], [`ReplyTo`] |
//! | read an actor's state on several workers at once | [`Query`], [`Address::query`] |
//! | write to actors of any type | [`Recipient`] |
//! | stop others, be told of their end, share it | [`Address::stop`], [`Context::monitor`], [`Context::link`] |
//! | do something later | [`Context::tell_after`], [`Context::tell_every`], [`Context::after`] |
//! | bound a mailbox, hold senders back | [`Actor::MAILBOX`], [`Mailbox::Soft`], [`Address::try_tell`] |
//! | write to many, share work | [`Group`], [`Pool`] |
//! | end with the last reference | [`Handle`] |
//! | block | [`Runtime::spawn_blocking`], [`Supervisor::start_blocking`] |
//! | create from threads that do not hold the runtime | [`RuntimeHandle`] |
//! | test every order that a seed can choose | [`Simulation`] |
//! | see what goes on | [`Runtime::metrics`], features `metrics` and `tracing` |
//! | find by name | [`Runtime::register`], [`Context::whereis`] |
//! | begin anew after a failure, be told that this does not help | [`Supervisor`], [`Supervisor::ended`], [`Context::monitor_supervisor`] |
//! | overtake, put aside, behave differently | [`Address::tell_urgently`], [`Context::stash`], [`Context::become_with`] |
//!
//! The guide, `docs/datil-guide.md`, has an example of each. Who uses none of it pays nothing for it: `src/signal/README.md` says how.
//!
//! # Guarantees
//!
//! * An actor handles one message at a time (and, if it answers [`Query`]s, those between its messages, perhaps several at a time). Messages of one sender to one receiver are handled in the order sent, also when actors move
//!   between workers. A send is in the mailbox when it returns, so if X writes to Z and then to Y, and Y writes to Z because of that, Z hears of X first.
//!   From a thread outside the runtime a send is in the runtime's inbox when it returns, in one order with those of all
//!   other such threads, and X may be such a thread. (A [`Client`] hands its sends over later, in order and with the same property.)
//!   A lock or channel between such a thread and a *handler* does not keep that order: what the handler sends next may arrive first.
//! * Sends never block. Mailboxes are unbounded unless the actor's type says otherwise ([`Actor::MAILBOX`]). Nothing is lost or doubled: what finds its actor gone, or no room, is dropped and counted.
//! * An [`Address`] is one word and `Copy`. It keeps nothing alive, never dangles, and never reaches another actor.
//! * A panic in a handler stops that actor only; it is counted and reported ([`Builder::on_panic`]). In other code of
//!   users, such as destructors, what timers make, a waker or a subscriber of `tracing`, it stops nothing.
//! * Workers without work sleep. While some work, one of the others looks every millisecond whether they get on.
//!
//! # Known limits
//!
//! * **A long handler occupies its worker.** What waits behind it goes to an idle worker after 1 to 2 ms, half at a time, if there is one (on Linux; elsewhere it
//!   waits). While no worker is idle it waits in any case, so split long work into messages, and do not block in handlers. This is about handlers,
//!   [`Actor::started`] and [`Actor::stopped`]; a destructor that takes long holds up its worker everywhere.
//! * There is no collection of actors that nobody can write to; they stop by [`Context::stop`] and the like, or with their
//!   last [`Handle`].
//! * Memory of the pools is reused by all runtimes of the process and never returned to the system. A cell is retired after 65,535 actors have
//!   lived in it (64 bytes lost per 65,535 of the smallest actors).
//! * An outside thread that is descheduled in the middle of a send delays those of other outside threads until it runs again.
//! * Policies differ in what they decide, not in the mechanism: `cls-offer` and the two Encores have the originals' placement, order, batches and choice of
//!   victims, but private queues instead of locked ones. A thief asks its victim, which answers between two activations, or (`encore-preemptive`) takes from a
//!   worker that runs a handler. Where the originals go on polling their workers sleep, and are handed what they would have stolen.

mod actor;
mod address;
mod answer;
mod atomic;
mod behaviour;
mod blocking;
mod client;
mod futex;
mod gate;
mod group;
mod handle;
mod inbox;
#[cfg(feature = "tokio")]
pub mod interop;
mod keyed;
mod lost;
mod mailbox;
mod membarrier;
#[cfg(feature = "metrics")]
mod meter;
#[cfg(shuttle)]
#[doc(hidden)]
pub mod model;
mod placement;
mod pool;
mod prefetch;
mod pressure;
mod priority;
mod query;
mod recipient;
mod registry;
mod runtime;
mod signal;
mod simulation;
mod supervisor;
mod sync;
mod ticks;
mod timer;
mod trace;
mod watch;
mod worker;

pub use actor::{Actor, Context};
pub use address::{ActorId, Address};
pub use answer::{Answer, AskError, ReplyTo, promise};
#[cfg(feature = "count-atomics")]
pub use atomic::counting::{AtomicsCount, count as atomics_count};
pub use client::Client;
pub use datil_policy as policy;
pub use gate::{Mailbox, Overflow, TellError};
pub use group::{Group, Pool, Route};
pub use handle::{Handle, WeakHandle};
#[cfg(feature = "metrics")]
pub use meter::ActorMetrics;
pub use placement::{Binding, Memory, MemoryAccesses, Placement, WorkerPlacement};
pub use query::{Query, QueryContext};
pub use recipient::{Receiver, Recipient};
pub use registry::NameError;
pub use runtime::{
    BuildError, Builder, Leftovers, Metrics, PanicInfo, Runtime, RuntimeHandle, RuntimeOver, StillRunning,
};
pub use signal::extras::Behaviour;
pub use simulation::{Simulation, SimulationBuilder};
pub use supervisor::{
    Restart, Spawn, StartError, Strategy, Supervisor, SupervisorEnd, SupervisorMonitorId, SupervisorOver,
};
pub use timer::TimerId;
pub use watch::{Down, MonitorId, StopReason};
pub use worker::port::WorkerMetrics;

/// The guide's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/datil-guide.md")]
mod guide {}

#[cfg(doctest)]
mod misuse;
