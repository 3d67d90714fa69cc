//! What the chapter compares: quantities of runs, and the policies with a placement of memory that it compares them of.

use serde::Serialize;

use super::as_in_caf;
use crate::host::Run;
use crate::laboratory::{Cell, Laboratory};
use crate::programs::ALL;

/// A policy with a placement of memory.
pub(super) type Way = (&'static str, bool);

pub(super) const CLS: Way = ("cls", false);
pub(super) const CLS_TP: Way = ("cls-tp", false);
pub(super) const LGS: Way = ("lgs", false);
pub(super) const LGS_CO: Way = ("lgs-co", false);
pub(super) const CLS_SPREAD: Way = ("cls", true);
pub(super) const CLS_TP_SPREAD: Way = ("cls-tp", true);

/// For readers.
pub(super) fn name((policy, interleaved): Way) -> String {
    format!("{policy}{}", if interleaved { " interleaved" } else { "" })
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Makespan, in nanoseconds.
    Time,
    /// Lines from other nodes.
    Remote,
    /// Lines from the own node.
    Local,
    /// Remote lines by all lines.
    RemoteShare,
    /// Queues of others looked into.
    Attempts,
    /// Actors stolen.
    Steals,
    /// Messages handled.
    Events,
}

impl Quantity {
    /// For readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Remote => "remote accesses",
            Self::Local => "local accesses",
            Self::RemoteShare => "remote share of accesses",
            Self::Attempts => "steal attempts",
            Self::Steals => "steals",
            Self::Events => "scheduling events",
        }
    }

    pub(super) fn value(self, run: &Run) -> f64 {
        match self {
            Self::Time => run.makespan as f64,
            Self::Remote => run.remote_lines,
            Self::Local => run.local_lines,
            Self::RemoteShare => run.remote_share(),
            Self::Attempts => run.steal_attempts as f64,
            Self::Steals => run.steals as f64,
            Self::Events => run.events as f64,
        }
    }
}

pub(super) fn cell(program: &'static str, (policy, interleaved): Way, workers: usize, os: bool) -> Cell {
    Cell {
        interleaved,
        os,
        ..as_in_caf(program, policy, workers)
    }
}

/// The 23 programs of the Savina suite.
pub(super) fn suite() -> impl Iterator<Item = &'static str> {
    ALL.iter()
        .map(|program| program.name)
        .filter(|name| *name != super::matrix_search::MATRIX)
}

/// Mean of one cell by that of the other.
pub(super) fn ratio(laboratory: &Laboratory, of: Quantity, one: Cell, other: Cell) -> f64 {
    let value = |cell| laboratory.mean(cell, |run| of.value(run));
    match (value(one), value(other)) {
        (one, other) if one == other => 1.0,
        (one, other) => one / other.max(1.0),
    }
}
