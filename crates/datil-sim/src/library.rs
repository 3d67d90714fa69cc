//! The simulated machine as an actor library: the suite's benchmarks run on it unchanged, in virtual time.

use std::marker::PhantomData;
use std::time::Duration;

use suite::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use suite::tools::Latch;

use crate::actor::{Birth, Body, Handling, Letter, Note, Wish};
use crate::host::{Engine, Play, Rules, Run, Settings};
use crate::policies;

/// The library.
#[derive(Debug)]
pub struct Simulated;

/// Address of an actor of type `A`: its number.
pub struct Address<A> {
    number: u32,
    actor: PhantomData<fn(A)>,
}

impl<A> Clone for Address<A> {
    fn clone(&self) -> Self {
        Self::of(self.number)
    }
}

impl<A> Address<A> {
    fn of(number: u32) -> Self {
        Self {
            number,
            actor: PhantomData,
        }
    }
}

impl ActorLibrary for Simulated {
    type Address<A: Actor<Self>> = Address<A>;
}

/// A simulated machine with a policy, and what came of the scripts that ran on it.
pub struct System {
    settings: Settings,
    host: Box<dyn Play>,
    runs: Vec<Run>,
}

impl System {
    /// A machine that will run programs with these settings.
    ///
    /// # Errors
    /// If there is no such policy, or the machine has not so many units.
    pub fn new(settings: Settings) -> Result<Self, String> {
        Self::ruled(policies::find(&settings.policy)?.rules, settings)
    }

    /// As [`System::new`], with a policy that need not be listed.
    pub(crate) fn ruled(rules: Rules, settings: Settings) -> Result<Self, String> {
        let host = Engine::build(rules, settings.clone())?;
        Ok(Self {
            settings,
            host,
            runs: Vec::new(),
        })
    }

    /// Takes what was observed of the scripts that ran since the last call, one run per script.
    pub fn take_runs(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.runs)
    }

    /// Runs a script until nothing happens any more. Returns the run and how many actors have stopped in it.
    ///
    /// # Errors
    /// If a handler panicked or a message went to a stopped actor.
    pub fn play(&mut self, script: impl Script<Simulated>) -> Result<(Run, u64), String> {
        let mut stopped = 0;
        let run = self.play_with(script, &mut |note| stopped += u64::from(note == Note::Stopped))?;
        Ok((run, stopped))
    }

    fn play_with(
        &mut self,
        script: impl Script<Simulated>,
        note: &mut dyn FnMut(Note),
    ) -> Result<Run, String> {
        let mut handling = Handling::new(0, self.host.born());
        script.run(&mut SimulatedDriver {
            handling: &mut handling,
        });
        self.host.play(handling, note)
    }
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Host for Simulated {
    type System = System;

    fn start(options: &Options) -> Result<System, String> {
        let mut settings = Settings::new(crate::machine::preset("opteron").expect("it is a preset"));
        settings.workers = options.workers;
        if let Some(policy) = &options.policy {
            settings.policy.clone_from(policy);
        }
        System::new(settings)
    }

    fn workers(system: &System) -> usize {
        system.settings.workers
    }

    /// Runs the script and all that follows from it before it returns.
    fn drive(system: &mut System, latch: &'static Latch, script: impl Script<Self>) {
        let run = system.play_with(script, &mut |note| match note {
            Note::Stopped => latch.count_down(),
            Note::Population(actors) => latch.tell(actors),
        });
        match run {
            Ok(run) => system.runs.push(run),
            Err(reason) => latch.fail(reason),
        }
    }
}

struct SimulatedDriver<'a> {
    handling: &'a mut Handling,
}

impl Driver<Simulated> for SimulatedDriver<'_> {
    fn spawn<A: Actor<Simulated>>(&mut self, actor: A) -> Address<A> {
        Address::of(self.handling.spawn(birth(actor)))
    }

    fn tell<A: Actor<Simulated>>(&mut self, to: &Address<A>, message: A::Message) {
        self.handling.send(to.number, Box::new(message));
    }

    fn pause(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.handling.wishes.push(Wish::Pause(nanos));
    }
}

fn birth<A: Actor<Simulated>>(actor: A) -> Birth {
    Birth {
        body: Box::new(Resident(actor)),
        kind: std::any::type_name::<A>(),
    }
}

struct Resident<A>(A);

impl<A: Actor<Simulated>> Body for Resident<A> {
    fn started(&mut self, handling: &mut Handling) {
        self.0.started(&mut SimulatedContext { handling });
    }

    fn handle(&mut self, letter: Letter, handling: &mut Handling) {
        let message = letter.downcast().expect("addresses are typed");
        self.0.handle(*message, &mut SimulatedContext { handling });
    }
}

struct SimulatedContext<'a> {
    handling: &'a mut Handling,
}

impl<A: Actor<Simulated>> Context<Simulated, A> for SimulatedContext<'_> {
    fn myself(&self) -> Address<A> {
        Address::of(self.handling.me)
    }

    fn tell<B: Actor<Simulated>>(&mut self, to: &Address<B>, message: B::Message) {
        self.handling.send(to.number, Box::new(message));
    }

    fn tell_self(&mut self, message: A::Message) {
        self.handling.send(self.handling.me, Box::new(message));
    }

    fn spawn<B: Actor<Simulated>>(&mut self, actor: B) -> Address<B> {
        Address::of(self.handling.spawn(birth(actor)))
    }

    fn stop(&mut self) {
        self.handling.stopped = true;
    }

    fn population(&mut self, actors: i64) {
        self.handling.wishes.push(Wish::Population(actors));
    }
}
