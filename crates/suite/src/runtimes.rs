//! The libraries that the suite measures, for the laboratory to list and to start.

use std::io::{BufRead, Write};

use crate::adapters::actix::{self, Actix};
use crate::adapters::datil::{self, Datil};
use crate::adapters::kameo::Kameo;
use crate::adapters::ractor::Ractor;
use crate::adapters::tokio::Tokio;
use crate::benchmarks;
use crate::library::{Host, Options};
use crate::peer::{Ending, PeerError, serve};

/// The compiler that built the suite, for example `Rust 1.95.0`.
pub const LANGUAGE: &str = env!("SUITE_RUSTC");

/// A library that the suite measures.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// The name used in plans and on the command line.
    pub name: &'static str,
    /// The name for readers.
    pub title: &'static str,
    /// The version in use, from the lock file.
    pub version: &'static str,
    /// Where the library is described.
    pub homepage: &'static str,
    /// Policies that it can be started with, the default first; empty where there is no choice.
    pub policies: &'static [&'static str],
    /// What a reader of its figures should know about how it is used.
    pub note: &'static str,
    /// Labels that hold for every benchmark, as name and value.
    pub labels: &'static [(&'static str, &'static str)],
    /// Whether this is another way to use a library that is listed in its plain way too. Variants are measured only when
    /// they are asked for by name.
    pub variant: bool,
    /// A shared library with another allocator that must be loaded before the program.
    pub preload: Option<&'static str>,
    setting: Setting,
    serve: Serve,
}

/// What differs from the library's defaults, beside workers and policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Setting {
    Default,
    /// [`Options::batched`].
    Batched,
    /// [`Options::interleaved`].
    Interleaved,
}

type Serve = fn(&Runtime, &Options, &mut dyn BufRead, &mut dyn Write) -> Result<Ending, PeerError>;

impl Runtime {
    /// How the library is to be started.
    pub fn options(&self, workers: usize, policy: Option<String>) -> Options {
        Options {
            workers,
            policy,
            batched: self.setting == Setting::Batched,
            interleaved: self.setting == Setting::Interleaved,
        }
    }

    /// Whether what the labels say of the allocator holds for this process.
    ///
    /// # Errors
    /// Why it does not, and what to do.
    pub fn is_as_labelled(&self) -> Result<(), String> {
        let Some(library) = self.preload else {
            return Ok(());
        };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        if maps.contains(library) {
            return Ok(());
        }
        Err(format!(
            "{library} is not loaded; install mimalloc 2 (Debian: apt-get install libmimalloc2.0); a peer that is started by hand needs LD_PRELOAD={library} besides"
        ))
    }

    /// Starts the library and holds a conversation with the laboratory. See [`crate::peer`].
    ///
    /// # Errors
    /// If the library does not start, or the other side breaks the protocol or is gone.
    pub fn serve(
        &self,
        options: &Options,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<Ending, PeerError> {
        (self.serve)(self, options, input, output)
    }
}

/// Serves all benchmarks.
fn everything<L: Host>(
    runtime: &Runtime,
    options: &Options,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Ending, PeerError> {
    serve::<L>(benchmarks::all(), runtime, options, input, output)
}

/// Serves the benchmarks some of whose requests only read.
#[cfg(feature = "all-benchmarks")]
fn reads<L: Host>(
    runtime: &Runtime,
    options: &Options,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Ending, PeerError> {
    serve::<L>(benchmarks::with_reads(), runtime, options, input, output)
}

/// Serves the benchmarks some of whose messages are more urgent than others.
#[cfg(feature = "all-benchmarks")]
fn urgency<L: Host>(
    runtime: &Runtime,
    options: &Options,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Ending, PeerError> {
    serve::<L>(benchmarks::with_urgency(), runtime, options, input, output)
}

/// All libraries, and variants of how they are used. A selection by default leaves out the variants.
pub fn runtimes() -> &'static [Runtime] {
    RUNTIMES
}

/// The library with this name.
pub fn runtime(name: &str) -> Option<&'static Runtime> {
    RUNTIMES.iter().find(|runtime| runtime.name == name)
}

const DATIL: Runtime = Runtime {
    name: "datil",
    title: "datil",
    version: env!("SUITE_VERSION_DATIL"),
    homepage: "",
    policies: datil::POLICIES,
    note: "the driver sends one by one: each message is published, in order, when its send returns, in an inbox of the whole \
           runtime, from which a worker puts it into its receiver's mailbox",
    labels: &[],
    variant: false,
    preload: None,
    setting: Setting::Default,
    serve: everything::<Datil>,
};

const TOKIO: Runtime = Runtime {
    name: "tokio",
    title: "tokio",
    version: env!("SUITE_VERSION_TOKIO"),
    homepage: "https://tokio.rs",
    policies: &[],
    note: "a task and an unbounded channel per actor, which takes 32 messages at once where many wait, on the multi-threaded \
           scheduler",
    labels: &[],
    variant: false,
    preload: None,
    setting: Setting::Default,
    serve: everything::<Tokio>,
};

const ACTIX: Runtime = Runtime {
    name: "actix",
    title: "actix",
    version: env!("SUITE_VERSION_ACTIX"),
    homepage: "https://actix.rs",
    policies: &actix::POLICIES,
    note: "all actors on one of the arbiters, so on one core: actix's default, and over the whole suite its fastest \
           placement on two cores. Where handlers compute for long, the policy dealt, which places every actor on the next \
           arbiter in turn, shares that out among all; spread does so with the driver's actors only",
    labels: &[],
    variant: false,
    preload: None,
    setting: Setting::Default,
    serve: everything::<Actix>,
};

const RACTOR: Runtime = Runtime {
    name: "ractor",
    title: "ractor",
    version: env!("SUITE_VERSION_RACTOR"),
    homepage: "https://github.com/slawlor/ractor",
    policies: &[],
    note: "actors without supervisor, started by Actor::spawn, polled once; no propagation of spans",
    labels: &[],
    variant: false,
    preload: None,
    setting: Setting::Default,
    serve: everything::<Ractor>,
};

const KAMEO: Runtime = Runtime {
    name: "kameo",
    title: "kameo",
    version: env!("SUITE_VERSION_KAMEO"),
    homepage: "https://github.com/tqwewe/kameo",
    policies: &[],
    note: "unbounded mailboxes, actors without supervisor; no tracing",
    labels: &[],
    variant: false,
    preload: None,
    setting: Setting::Default,
    serve: everything::<Kameo>,
};

/// The same library with another allocator than the system's.
const fn with_mimalloc(name: &'static str, title: &'static str, plain: Runtime) -> Runtime {
    Runtime {
        name,
        title,
        labels: &[("allocator", "mimalloc")],
        variant: true,
        preload: Some("libmimalloc.so.2"),
        ..plain
    }
}

static RUNTIMES: &[Runtime] = &[
    DATIL,
    Runtime {
        name: "datil-batched",
        title: "datil, batched driver",
        note: "the driver creates actors and sends through a client scope, which hands over batches",
        labels: &[("sends", "deferred")],
        variant: true,
        setting: Setting::Batched,
        ..DATIL
    },
    Runtime {
        name: "datil-interleaved",
        title: "datil, interleaved memory",
        note: "what workers touch first lies on all memory nodes in turn, what the driver's thread touches first where that \
               runs; unsupported on a machine with one memory node, where it would be datil as it is",
        labels: &[("memory", "interleaved")],
        variant: true,
        setting: Setting::Interleaved,
        ..DATIL
    },
    #[cfg(feature = "all-benchmarks")]
    Runtime {
        name: "datil-queries",
        title: "datil, parallel reads",
        note: "requests that only read run at the same time, on several workers, in the order of arrival among the others",
        labels: &[("rw", "parallel")],
        variant: true,
        serve: reads::<datil::DatilQueries>,
        ..DATIL
    },
    #[cfg(feature = "all-benchmarks")]
    Runtime {
        name: "datil-urgent",
        title: "datil, urgent messages",
        note: "work items that are near a solution, by the entry's priority, overtake others in the workers' mailboxes",
        labels: &[("priority", "urgent")],
        variant: true,
        serve: urgency::<datil::DatilUrgent>,
        ..DATIL
    },
    TOKIO,
    ACTIX,
    RACTOR,
    KAMEO,
    with_mimalloc("datil-mimalloc", "datil, mimalloc", DATIL),
    with_mimalloc("tokio-mimalloc", "tokio, mimalloc", TOKIO),
    with_mimalloc("actix-mimalloc", "actix, mimalloc", ACTIX),
    with_mimalloc("ractor-mimalloc", "ractor, mimalloc", RACTOR),
    with_mimalloc("kameo-mimalloc", "kameo, mimalloc", KAMEO),
];
