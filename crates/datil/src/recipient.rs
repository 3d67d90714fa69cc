//! Addresses of actors of any type that understand a message.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::actor::{Actor, Context};
use crate::address::{ActorId, Address, Target};
use crate::answer::{self, Answer, ReplyTo};
use crate::gate::{self, TellError};
use crate::query::QueryContext;
use crate::watch::{self, StopReason};

/// Where to send messages of type `M`, whatever the type of the actor: three words, `Copy`. Made by [`Address::recipient`].
///
/// Two recipients are equal if they lead to the same actor.
pub struct Recipient<M> {
    target: Target,
    /// Sends to an actor of the type that the recipient was made for.
    tell: fn(Target, M),
    try_tell: fn(Target, M) -> Result<(), TellError<M>>,
}

impl<M> Recipient<M> {
    /// As [`Address::tell`]. Handlers may as well write with [`Context::tell`]; it makes no difference here.
    pub fn tell(self, msg: M) {
        (self.tell)(self.target, msg);
    }

    /// As [`Address::try_tell`]. The actor's own message is made of `msg` only if it is sent.
    ///
    /// # Errors
    /// As [`Address::try_tell`].
    pub fn try_tell(self, msg: M) -> Result<(), TellError<M>> {
        (self.try_tell)(self.target, msg)
    }

    /// As [`Address::ask`], for threads and tasks. Actors ask with [`Context::ask`].
    pub fn ask<R: Send + 'static>(self, request: impl FnOnce(ReplyTo<R>) -> M) -> Answer<R> {
        let (reply, answer) = answer::promise();
        self.tell(request(reply));
        answer
    }

    /// As [`Address::ended`], for threads and tasks. Actors watch with [`Context::monitor`].
    ///
    /// # Errors
    /// As [`Address::ended`].
    pub fn ended(self) -> Answer<StopReason> {
        watch::ended(self.target)
    }

    /// Which actor it leads to.
    pub fn id(self) -> ActorId {
        ActorId(self.target)
    }

    /// As [`Address::is_alive`].
    pub fn is_alive(self) -> bool {
        self.target.is_alive()
    }
}

/// Whom an actor can write to, ask and watch: an [`Address`] or a [`Recipient`]. For [`Context::tell`], [`Context::ask`] and
/// [`Context::monitor`]; there are no others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an `Address` nor a `Recipient`",
    note = "both are `Copy`: of a reference or a `Handle` write `*it`"
)]
pub trait Receiver: Copy + sealed::Sealed {
    /// The messages that it takes.
    type Msg;

    /// Which actor it leads to.
    fn id(self) -> ActorId;

    /// [`Context::tell`].
    #[doc(hidden)]
    fn tell_in<A: Actor>(self, cx: &mut Context<'_, A>, msg: Self::Msg);

    /// [`QueryContext::tell`].
    #[doc(hidden)]
    fn tell_in_query<A: Actor>(self, cx: &mut QueryContext<'_, A>, msg: Self::Msg);
}

impl<B: Actor> Receiver for Address<B> {
    type Msg = B::Msg;

    fn id(self) -> ActorId {
        self.id()
    }

    #[inline(always)]
    fn tell_in<A: Actor>(self, cx: &mut Context<'_, A>, msg: B::Msg) {
        cx.tell_to(self, msg);
    }

    #[inline(always)]
    fn tell_in_query<A: Actor>(self, cx: &mut QueryContext<'_, A>, msg: B::Msg) {
        cx.tell_to(self, msg);
    }
}

impl<M> Receiver for Recipient<M> {
    type Msg = M;

    fn id(self) -> ActorId {
        self.id()
    }

    fn tell_in<A: Actor>(self, _: &mut Context<'_, A>, msg: M) {
        self.tell(msg);
    }

    fn tell_in_query<A: Actor>(self, _: &mut QueryContext<'_, A>, msg: M) {
        self.tell(msg);
    }
}

mod sealed {
    pub trait Sealed {}
    impl<A: super::Actor> Sealed for super::Address<A> {}
    impl<M> Sealed for super::Recipient<M> {}
}

impl<A: Actor> Address<A> {
    /// This actor as one of those that understand `M`: it gets what [`From`] makes of it.
    ///
    /// ```
    /// # use datil::{Actor, Context, Recipient, Runtime};
    /// struct Tick;
    /// struct Clock;
    /// enum ClockMsg { Tick }
    /// impl From<Tick> for ClockMsg {
    ///     fn from(_: Tick) -> Self { Self::Tick }
    /// }
    /// impl Actor for Clock {
    ///     type Msg = ClockMsg;
    ///     fn handle(&mut self, ClockMsg::Tick: ClockMsg, cx: &mut Context<'_, Self>) { cx.stop() }
    /// }
    /// let runtime = Runtime::builder().workers(1).build()?;
    /// let listeners: Vec<Recipient<Tick>> = vec![runtime.spawn(Clock).recipient()];
    /// listeners.iter().for_each(|listener| listener.tell(Tick));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn recipient<M>(self) -> Recipient<M>
    where
        A::Msg: From<M>,
    {
        Recipient {
            target: self.target(),
            tell: |target, msg| {
                // SAFETY: the target is that of an address of an `A`.
                unsafe { Self::to(target) }.tell(msg.into());
            },
            try_tell: |target, msg| {
                // SAFETY: as above.
                gate::try_tell(unsafe { Self::to(target) }, msg)
            },
        }
    }
}

impl<A: Actor, M> From<Address<A>> for Recipient<M>
where
    A::Msg: From<M>,
{
    fn from(address: Address<A>) -> Self {
        address.recipient()
    }
}

impl<M> Clone for Recipient<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Recipient<M> {}

impl<M> PartialEq for Recipient<M> {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target
    }
}

impl<M> Eq for Recipient<M> {}

impl<M> Hash for Recipient<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.hash(state);
    }
}

impl<M> fmt::Debug for Recipient<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({:?})", self.target)
    }
}
