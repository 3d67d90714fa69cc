//! A worker: its queue, and what it is about.

use std::collections::VecDeque;

use datil_policy::{End, Search};

use super::activation::Activation;
use super::brought::Brought;
use super::guard::Relieved;
use super::learning::Known;
use super::owners::Arrival;
use super::shared::Shared;
use super::sharing::Sharing;
use super::stint::Stint;
use crate::host::door::Door;
use crate::host::line::Line;
use crate::host::lock::Lock;
use crate::host::rules::Decide;
use crate::machine::Cycles;

/// No policy looks for work that often before it sleeps.
const LONGEST_SEARCH: u32 = 10_000;

/// What a worker is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Runs an actor.
    Busy,
    /// Looks for work; the next thing happens at its next event.
    Searching,
    /// Looks at its own queue, and notices at once what is put there.
    Polling,
    /// Has found nothing and is about to sleep until somebody wakes it, but polls a little before, as datil's workers do.
    Resting,
    /// Sleeps, with or without a time at which it wakes.
    Sleeping,
}

/// A thread that runs actors.
pub(super) struct Worker {
    pub(super) policy: Box<dyn Decide>,
    /// Times can teach the policy something on this place in the machine.
    pub(super) learns: bool,
    pub(super) pu: usize,
    pub(super) next: Option<u32>,
    pub(super) queue: VecDeque<u32>,
    pub(super) head: Lock,
    pub(super) tail: Lock,
    pub(super) phase: Phase,
    pub(super) step: u32,
    pub(super) probing: Option<(u32, End)>,
    pub(super) tick: u32,
    /// Events of an older generation are void.
    pub(super) generation: u32,
    pub(super) idle_since: Cycles,
    pub(super) idle: Cycles,
    /// When others can see that it rests.
    pub(super) rests_from: Cycles,
    pub(super) activation: Option<Activation>,
    pub(super) length: Shared<u32>,
    /// The word that says whether it sleeps.
    pub(super) rest: Line,
    /// What it knows of classes, by their numbers.
    known: Vec<Known>,
    /// It was woken because thefts pay, and has not slept since.
    pub(super) summoned: bool,
    pub(super) stint: Option<Stint>,
    /// What others have left, with the units that did; used where actors have owners, as all that follows.
    pub(super) arrivals: Vec<(Arrival, usize)>,
    /// The actor of another worker to which it wrote last.
    pub(super) wrote_to: Option<u32>,
    /// Messages that others took from the inbox for it and that it has not handled, if it has handled nothing else.
    pub(super) forwarded: u64,
    /// Whoever leaves something writes here.
    pub(super) door: Door,
    /// A thief, and the end from which it wants something.
    pub(super) request: Option<(u32, End)>,
    /// Whom this worker has asked.
    pub(super) asked: Option<(u32, End)>,
    /// It sleeps since nobody had anything to do, whatever its policy's timetable says, until somebody has.
    pub(super) sleeps_on: bool,
    pub(super) brought: Brought,
    /// The actor that it started last.
    pub(super) started: Option<u32>,
    /// What others cost it that acted in its place.
    pub(super) late: Cycles,
    /// Actors that have used up their batch, the one that did so last at the end; used if the policy does not route, as what follows.
    pub(super) yielded: VecDeque<u32>,
    pub(super) sharing: Sharing,
    pub(super) relieved: Relieved,
}

impl Worker {
    /// Has looked for work and sleeps since nobody has any. It will go on with its policy's timetable where that had it sleep first; from
    /// the beginning if that never has it sleep.
    pub(super) fn sleep_on(&mut self) {
        self.phase = Phase::Sleeping;
        self.sleeps_on = true;
        let sleeps = |step: &u32| matches!(self.policy.search(*step), Search::Sleep(_) | Search::Park);
        let first = (0..LONGEST_SEARCH).find(sleeps);
        self.step = first.map_or(0, |step| step + 1);
    }

    /// What it knows of a class.
    pub(super) fn known(&mut self, class: usize) -> &mut Known {
        if class >= self.known.len() {
            self.known.resize_with(class + 1, Known::default);
        }
        &mut self.known[class]
    }

    /// It sleeps, or is about to: others may take over what belongs to it.
    pub(super) fn idles(&self) -> bool {
        matches!(self.phase, Phase::Sleeping | Phase::Resting)
    }

    /// A worker on a unit, with nothing to do.
    pub(super) fn idle(policy: Box<dyn Decide>, pu: usize) -> Self {
        Self {
            learns: policy.learns(),
            policy,
            pu,
            next: None,
            queue: VecDeque::new(),
            head: Lock::default(),
            tail: Lock::default(),
            phase: Phase::Searching,
            step: 0,
            probing: None,
            tick: 0,
            generation: 0,
            idle_since: 0,
            idle: 0,
            rests_from: 0,
            activation: None,
            length: Shared::default(),
            rest: Line::default(),
            known: Vec::new(),
            summoned: false,
            stint: None,
            arrivals: Vec::new(),
            wrote_to: None,
            forwarded: 0,
            door: Door::default(),
            request: None,
            asked: None,
            sleeps_on: false,
            brought: Brought::default(),
            started: None,
            late: 0,
            yielded: VecDeque::new(),
            sharing: Sharing::default(),
            relieved: Relieved::default(),
        }
    }
}
