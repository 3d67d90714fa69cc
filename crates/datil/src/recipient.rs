//! Addresses of actors of any type that understand a message.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::actor::Actor;
use crate::address::{ActorId, Address, Target};

/// Where to send messages of type `M`, whatever the type of the actor: two words, `Copy`. Made by [`Address::recipient`].
///
/// Two recipients are equal if they lead to the same actor.
pub struct Recipient<M> {
    target: Target,
    /// Sends to an actor of the type that the recipient was made for.
    tell: fn(Target, M),
}

impl<M> Recipient<M> {
    /// As [`Address::tell`].
    pub fn tell(self, msg: M) {
        (self.tell)(self.target, msg);
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
