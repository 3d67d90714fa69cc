//! Groups, and routers that choose among the members of one.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use datil_policy::Random;

use crate::actor::Actor;
use crate::address::Address;
use crate::answer::{self, Answer, ReplyTo};
use crate::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::client;
use crate::gate::{self, TellError};
use crate::lost::Lost;
use crate::recipient::Recipient;
use crate::sync::RwLock;

/// Actors that understand `M`, to be written to together. Cloned, it is the same group. Members that have stopped leave by themselves.
///
/// Sends are not atomic with joins and leaves: who joins during a [`Group::tell_all`] may or may not get that message. Order per sender and member is kept.
///
/// ```
/// # use datil::{Actor, Context, Group, Runtime};
/// # struct Listener;
/// # impl Actor for Listener {
/// #     type Msg = u32;
/// #     fn handle(&mut self, n: u32, cx: &mut Context<'_, Self>) { if n == 0 { cx.stop() } }
/// # }
/// let runtime = Runtime::builder().workers(1).build()?;
/// let group = Group::new();
/// (0..3).for_each(|_| group.join(runtime.spawn(Listener)));
/// assert_eq!(group.tell_all(0u32), 3);
/// # runtime.wait_quiescent();
/// # assert!(runtime.shutdown().is_empty());
/// # Ok::<(), datil::BuildError>(())
/// ```
pub struct Group<M>(Arc<RwLock<Vec<Recipient<M>>>>);

impl<M> Group<M> {
    /// A group without members.
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Adds a member; one that is in the group already is not added again.
    pub fn join(&self, member: impl Into<Recipient<M>>) {
        let member = member.into();
        let mut members = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !members.contains(&member) {
            if members.len() == members.capacity() {
                // Before the list grows: members that have stopped take no place for ever.
                members.retain(|member| member.is_alive());
            }
            members.push(member);
        }
    }

    /// Removes a member; true if it was one.
    pub fn leave(&self, member: impl Into<Recipient<M>>) -> bool {
        let member = member.into();
        let mut members = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = members.len();
        members.retain(|&other| other != member);
        members.len() < before
    }

    /// The members that are alive, in the order in which they joined.
    pub fn members(&self) -> Vec<Recipient<M>> {
        let members = self
            .0
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone();
        let alive: Vec<_> = members
            .iter()
            .copied()
            .filter(|member| member.is_alive())
            .collect();
        if alive.len() < members.len() {
            let mut members = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
            members.retain(|member| member.is_alive());
        }
        alive
    }

    /// Sends a copy to each member; returns to how many.
    pub fn tell_all(&self, msg: M) -> usize
    where
        M: Clone,
    {
        let members = self.members();
        if let Some((last, others)) = members.split_last() {
            others.iter().for_each(|member| member.tell(msg.clone()));
            last.tell(msg);
        }
        members.len()
    }
}

impl<M> Default for Group<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Group<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M> fmt::Debug for Group<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({} members)", self.members().len())
    }
}

/// Which member of a pool gets a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// One after the other.
    RoundRobin,
    /// Anyone, equally likely, from the seed given.
    Random(u64),
    /// The one with fewer messages waiting of two drawn at random, from the seed given: nearly as even as the least loaded of all, at constant cost (M. Mitzenmacher, The Power of Two Choices in
    /// Randomized Load Balancing, 2001). For actors that count their messages ([`Actor::MAILBOX`]); for others it is `Random`.
    LessLoaded(u64),
    /// The one with the fewest messages waiting, the first of several. For actors that count their messages; for others it is the first.
    LeastLoaded,
}

/// Actors of one type that share the work. Shared by reference or cloned, it is the same pool. Members that have stopped get nothing as soon as that is seen; a message on its way to one is dropped.
///
/// ```
/// # use datil::{Actor, Context, Pool, Route, Runtime};
/// # struct Job;
/// # impl Actor for Job {
/// #     type Msg = u32;
/// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// # }
/// let runtime = Runtime::builder().workers(2).build()?;
/// let pool = Pool::new((0..4).map(|_| runtime.spawn(Job)).collect(), Route::RoundRobin);
/// (0..100).for_each(|n| pool.tell(n).expect("nobody has stopped"));
/// # runtime.wait_quiescent();
/// # pool.members().iter().for_each(|member| member.stop());
/// # runtime.wait_quiescent();
/// # assert!(runtime.shutdown().is_empty());
/// # Ok::<(), datil::BuildError>(())
/// ```
pub struct Pool<A: Actor>(Arc<Shared<A>>);

struct Shared<A: Actor> {
    members: Vec<Address<A>>,
    route: Route,
    turn: AtomicUsize,
}

impl<A: Actor> Pool<A> {
    /// A pool of these members, which do not change any more. An empty one gives all messages back.
    pub fn new(members: Vec<Address<A>>, route: Route) -> Self {
        Self(Arc::new(Shared {
            members,
            route,
            turn: AtomicUsize::new(0),
        }))
    }

    /// All members, also those that have stopped.
    pub fn members(&self) -> &[Address<A>] {
        &self.0.members
    }

    /// Sends to the member whose turn it is, or to the next one that is alive. As with [`Address::tell`], what a bounded
    /// mailbox has no room for is dropped and counted; who wants another member to get it, or to have it back, calls
    /// [`Pool::try_tell`].
    ///
    /// # Errors
    /// The message, if no member is alive.
    pub fn tell(&self, msg: A::Msg) -> Result<(), A::Msg> {
        match self.choose() {
            Some(member) => {
                member.tell(msg);
                Ok(())
            }
            None => Err(msg),
        }
    }

    /// Sends to the member whose turn it is, or to the next one that is alive and has room. Members whose mailbox is full
    /// but does not reject ([`Actor::MAILBOX`]) do with the message what their type says, and that counts as sent, as in
    /// [`Address::try_tell`].
    ///
    /// ```
    /// # use datil::{Actor, Context, Mailbox, Overflow, Pool, Route, Simulation, TellError};
    /// struct Job;
    /// impl Actor for Job {
    ///     type Msg = u32;
    ///     const MAILBOX: Mailbox = Mailbox::Bounded { capacity: 1, overflow: Overflow::Reject };
    ///     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
    /// }
    /// let simulation = Simulation::new(0, 1)?; // where nothing is handled meanwhile
    /// let pool = Pool::new((0..2).map(|_| simulation.spawn(Job)).collect(), Route::Random(1));
    /// assert!(pool.try_tell(1).is_ok() && pool.try_tell(2).is_ok());
    /// assert_eq!(pool.try_tell(3), Err(TellError::Full(3)));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`TellError::Full`] if all members that are alive are full and reject; [`TellError::Gone`] if none is alive. The
    /// message comes back.
    pub fn try_tell(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        let mut full = false;
        let mut msg = msg;
        for member in self.in_turn() {
            match member.try_tell(msg) {
                Ok(()) => return Ok(()),
                Err(refused) => {
                    full |= matches!(refused, TellError::Full(_));
                    msg = refused.into_message();
                }
            }
        }
        Err(if full {
            TellError::Full(msg)
        } else {
            TellError::Gone(msg)
        })
    }

    /// Asks the member whose turn it is, or the next one that is alive and has room, as [`Pool::try_tell`] finds it; for
    /// threads and tasks. Actors ask the member that [`Pool::choose`] returns, with [`crate::Context::ask`].
    ///
    /// If there is none the answer is [`crate::AskError::Full`] or [`crate::AskError::Gone`], and the question is dropped
    /// and counted, as that to an actor is ([`Address::ask`]). It goes to one member: if that one stops before it answers,
    /// no other one is asked.
    ///
    /// ```
    /// # use datil::{Actor, AskError, Context, Pool, ReplyTo, Route, Runtime};
    /// struct Square;
    /// impl Actor for Square {
    ///     type Msg = (u64, ReplyTo<u64>);
    ///     fn handle(&mut self, (n, reply): Self::Msg, _: &mut Context<'_, Self>) { reply.send(n * n) }
    /// }
    /// let runtime = Runtime::builder().workers(2).build()?;
    /// let pool = Pool::new((0..2).map(|_| runtime.spawn(Square)).collect(), Route::RoundRobin);
    /// let answers: Vec<_> = (1..=4).map(|n| pool.ask(|reply| (n, reply))).collect();
    /// let squares: Vec<_> = answers.into_iter().map(|answer| answer.wait()).collect();
    /// assert_eq!(squares, [Ok(1), Ok(4), Ok(9), Ok(16)]);
    ///
    /// pool.members().iter().for_each(|member| member.stop());
    /// runtime.wait_quiescent();
    /// assert_eq!(pool.ask(|reply| (5, reply)).wait(), Err(AskError::Gone));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn ask<R: Send + 'static>(&self, request: impl FnOnce(ReplyTo<R>) -> A::Msg) -> Answer<R> {
        let (reply, answer) = answer::promise();
        if let Err(refused) = self.try_tell(request(reply)) {
            client::dead_letter(None, Lost::refused(refused).into_message());
        }
        answer
    }

    /// The member that a message would go to now; `None` if none is alive. The call counts as that message's turn: with [`Route::RoundRobin`] the next
    /// one goes to another member, so send to what it returns rather than ask and then [`Pool::tell`].
    pub fn choose(&self) -> Option<Address<A>> {
        self.in_turn().find(|member| member.is_alive())
    }

    /// All members, beginning with the one whose turn it is.
    fn in_turn(&self) -> impl Iterator<Item = Address<A>> {
        let (before, from) = self.0.members.split_at(self.first());
        from.iter().chain(before).copied()
    }

    /// Place of the member whose turn it is, whether it is alive or not.
    fn first(&self) -> usize {
        let members = &self.0.members;
        if members.is_empty() {
            return 0;
        }
        let turn = self.0.turn.fetch_add(1, Relaxed);
        let load = |index: usize| {
            let member = members[index];
            let dead = !member.is_alive();
            (
                dead,
                if gate::counts::<A>() {
                    member.waiting()
                } else {
                    None
                },
            )
        };
        match self.0.route {
            Route::RoundRobin => turn % members.len(),
            Route::Random(seed) => draw(seed, turn, members.len()),
            Route::LessLoaded(seed) => {
                let (one, other) = (
                    draw(seed, 2 * turn, members.len()),
                    draw(seed, 2 * turn + 1, members.len()),
                );
                if load(other) < load(one) { other } else { one }
            }
            Route::LeastLoaded => (0..members.len()).min_by_key(|&index| load(index)).unwrap_or(0),
        }
    }

    /// The member that belongs to a key, whatever the route: always the same one as long as it is alive; `None` if none is. When members stop, only their keys
    /// go to others, evenly (rendezvous hashing: D. G. Thaler and C. V. Ravishankar, Using Name-Based Mappings to Increase Hit Rates, 1998). Takes time in proportion to the members.
    ///
    /// Messages of one sender for one key, sent to what this returns, are handled in order. The choice depends on the key's
    /// [`Hash`] and the members' places alone, but need not be the same with another version of Rust's standard library.
    ///
    /// ```
    /// # use datil::{Actor, Context, Pool, Route, Runtime};
    /// # struct Account;
    /// # impl Actor for Account {
    /// #     type Msg = u32;
    /// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
    /// # }
    /// let runtime = Runtime::builder().workers(2).build()?;
    /// let pool = Pool::new((0..4).map(|_| runtime.spawn(Account)).collect(), Route::RoundRobin);
    /// let ada = pool.of_key("Ada").expect("all are alive");
    /// ada.tell(1);
    /// assert_eq!(pool.of_key("Ada"), Some(ada));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn of_key<K: Hash + ?Sized>(&self, key: &K) -> Option<Address<A>> {
        let weight = |place: usize| {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            place.hash(&mut hasher);
            hasher.finish()
        };
        let members = self.0.members.iter().enumerate();
        let alive = members.filter(|(_, member)| member.is_alive());
        alive
            .max_by_key(|&(place, _)| weight(place))
            .map(|(_, &member)| member)
    }

    /// Sends a copy to each member; returns to how many that were alive.
    pub fn tell_all(&self, msg: &A::Msg) -> usize
    where
        A::Msg: Clone,
    {
        let alive = self.0.members.iter().filter(|member| member.is_alive());
        alive.map(|member| member.tell(msg.clone())).count()
    }
}

/// A number below `below`, the same for the same turn.
fn draw(seed: u64, turn: usize, below: usize) -> usize {
    Random::new(seed ^ (turn as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).below(below as u32) as usize
}

impl<A: Actor> Clone for Pool<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Actor> fmt::Debug for Pool<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("members", &self.0.members)
            .field("route", &self.0.route)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use crate::actor::Context;
    use crate::runtime::Runtime;

    struct Brief;
    impl Actor for Brief {
        type Msg = ();
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            cx.stop();
        }
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }

    #[test]
    fn the_dead_are_forgotten_although_nobody_writes() {
        let runtime = Runtime::builder().workers(1).build().expect("a worker");
        let group = Group::<()>::new();
        for _ in 0..100 {
            let brief = runtime.spawn(Brief);
            let _ = brief.ended().wait();
            group.join(brief);
        }
        let kept = group.0.read().expect("nobody panics").len();
        assert!(kept < 10, "{kept} of 100 are kept");
        assert!(runtime.shutdown().is_empty());
    }
}
