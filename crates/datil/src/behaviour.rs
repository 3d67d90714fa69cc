//! Changing what handles an actor's messages, and putting messages aside until then.

use crate::actor::{Actor, Context};
use crate::mailbox::cell::flag;
use crate::signal::extras::{self, Behaviour, Extras};

impl<A: Actor> Context<'_, A> {
    /// Lets `behaviour` handle this actor's messages, from the next one on, instead of [`Actor::handle`] or what did before.
    ///
    /// Nothing is allocated after the first time. An actor with a behaviour takes a longer way to each message (some nanoseconds); one whose state is an
    /// enum may as well match on it in its handler.
    ///
    /// ```
    /// # use datil::{Actor, Context, ReplyTo, Runtime};
    /// struct Door;
    /// enum Msg { Open, Close, IsOpen(ReplyTo<bool>) }
    /// impl Door {
    ///     fn open(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Msg::Open => {}
    ///             Msg::Close => cx.unbecome(),
    ///             Msg::IsOpen(reply) => reply.send(true),
    ///         }
    ///     }
    /// }
    /// impl Actor for Door {
    ///     type Msg = Msg;
    ///     fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Msg::Open => cx.become_with(Self::open),
    ///             Msg::Close => {}
    ///             Msg::IsOpen(reply) => reply.send(false),
    ///         }
    ///     }
    /// }
    /// let runtime = Runtime::builder().workers(1).build()?;
    /// let door = runtime.spawn(Door);
    /// door.tell(Msg::Open);
    /// assert_eq!(door.ask(Msg::IsOpen).wait(), Ok(true));
    /// door.tell(Msg::Close);
    /// assert_eq!(door.ask(Msg::IsOpen).wait(), Ok(false));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn become_with(&mut self, behaviour: Behaviour<A>) {
        let extras = self.extras();
        extras.typed::<A, _>(|typed| typed.behaviour = Some(behaviour));
        extras.behaves.set(true);
        self.flags(flag::ATTEND);
    }

    /// Lets [`Actor::handle`] handle this actor's messages again.
    pub fn unbecome(&mut self) {
        let extras = self.extras();
        extras.typed::<A, _>(|typed| typed.behaviour = None);
        extras.behaves.set(false);
    }

    /// Puts a message aside until [`Context::unstash`]. Order is kept. What is in the stash when the actor ends is dropped and counted as a dead letter;
    /// a restart by a supervisor keeps it.
    pub fn stash(&mut self, msg: A::Msg) {
        self.extras().typed::<A, _>(|typed| typed.stash.push_back(msg));
    }

    /// Number of messages put aside.
    pub fn stashed(&self) -> usize {
        self.extras().typed::<A, _>(|typed| typed.stash.len())
    }

    /// Takes back all messages that were put aside: they are handled next, in the order in which they came, before those that wait in the mailbox (and
    /// after urgent ones). May be put aside again.
    pub fn unstash(&mut self) {
        let extras = self.extras();
        let any = extras.typed::<A, _>(|typed| {
            // What was taken back before and not handled yet came later than what has been put aside since.
            typed.stash.append(&mut typed.replay);
            std::mem::swap(&mut typed.stash, &mut typed.replay);
            !typed.replay.is_empty()
        });
        if any {
            extras.replays.set(true);
            self.flags(flag::ATTEND);
        }
    }

    /// What this actor has besides its state and its messages.
    pub(crate) fn extras(&self) -> &Extras {
        // SAFETY: a context exists only while its actor runs on this worker, which owns it; it borrows the extras no longer than it exists.
        unsafe { extras::attach(&*self.cell) }
    }
}
