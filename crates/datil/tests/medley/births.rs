//! Where and how actors come into being, and addresses of all their types.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use datil::policy::Random;
use datil::{
    Actor, Address, Answer, Client, Context, Recipient, Restart, Runtime, RuntimeHandle, Simulation, Spawn,
    StopReason,
};

use crate::book::{Book, Record};
use crate::node::{ENDING, LAZY, Node, PLAIN, REJECTING, SOFT};
use crate::post::{Letter, fail_on_purpose};
use crate::program::Feature;

/// The address of an actor of any kind.
#[derive(Clone, Copy)]
pub enum Seat {
    Plain(Address<Node<PLAIN, 0>>),
    Lazy(Address<Node<LAZY, 40>>),
    Rejecting(Address<Node<REJECTING, 0>>),
    Ending(Address<Node<ENDING, 8>>),
    Soft(Address<Node<SOFT, 0>>),
}

/// Does the same with an address of any type.
macro_rules! with {
    ($seat:expr, $address:ident => $does:expr) => {
        match $seat {
            $crate::births::Seat::Plain($address) => $does,
            $crate::births::Seat::Lazy($address) => $does,
            $crate::births::Seat::Rejecting($address) => $does,
            $crate::births::Seat::Ending($address) => $does,
            $crate::births::Seat::Soft($address) => $does,
        }
    };
}

impl Seat {
    pub fn recipient(self) -> Recipient<Letter> {
        with!(self, address => address.recipient())
    }

    pub fn is_alive(self) -> bool {
        with!(self, address => address.is_alive())
    }

    pub fn waiting(self) -> Option<usize> {
        with!(self, address => address.waiting())
    }

    pub fn ended(self) -> Answer<StopReason> {
        with!(self, address => address.ended())
    }

    /// The address, if it is one of an actor of type `A`.
    pub fn of<A: Actor>(self) -> Option<Address<A>> {
        with!(self, address => (&address as &dyn Any).downcast_ref().copied())
    }
}

/// Where actors are created.
pub trait Nest {
    /// `None` if it takes no actors any more.
    fn lay<A: Actor>(&mut self, make: impl Fn() -> A + Send + 'static) -> Option<Address<A>>;

    /// Who begins them anew: a supervisor's index, and when.
    fn guard(&self) -> Option<(usize, Restart)> {
        None
    }
}

macro_rules! nests {
    ($($place:ty),*) => {$(
        impl Nest for $place {
            fn lay<A: Actor>(&mut self, make: impl Fn() -> A + Send + 'static) -> Option<Address<A>> {
                Some(self.spawn(make()))
            }
        }
    )*};
}
nests!(&Runtime, &Simulation, Client<'_>);

impl<A: Actor> Nest for Context<'_, A> {
    fn lay<B: Actor>(&mut self, make: impl Fn() -> B + Send + 'static) -> Option<Address<B>> {
        Some(self.spawn(make()))
    }
}

impl Nest for RuntimeHandle {
    fn lay<A: Actor>(&mut self, make: impl Fn() -> A + Send + 'static) -> Option<Address<A>> {
        // What comes back from a runtime that is over may be a bomb.
        catch_unwind(AssertUnwindSafe(|| self.spawn(make()).ok())).ok()?
    }
}

/// Creates actors that may block.
pub struct Apart<'a, 'b, A: Actor>(pub &'a mut Context<'b, A>);

impl<A: Actor> Nest for Apart<'_, '_, A> {
    fn lay<B: Actor>(&mut self, make: impl Fn() -> B + Send + 'static) -> Option<Address<B>> {
        Some(self.0.spawn_blocking(make()))
    }
}

/// Creates actors that begin anew.
pub struct Guarded<'a, S> {
    pub place: &'a mut S,
    pub book: &'a Book,
    pub which: u32,
}

impl<S: Spawn> Nest for Guarded<'_, S> {
    fn lay<A: Actor>(&mut self, make: impl Fn() -> A + Send + 'static) -> Option<Address<A>> {
        let (supervisor, restart) = self.guard()?;
        let supervisor = &self.book.supervisors[supervisor];
        // As above.
        catch_unwind(AssertUnwindSafe(|| {
            supervisor.start(self.place, restart, make).ok()
        }))
        .ok()?
    }

    fn guard(&self) -> Option<(usize, Restart)> {
        let restarts = [Restart::OnFailure, Restart::Always, Restart::Never];
        let which = self.which as usize;
        Some((which % self.book.supervisors.len(), restarts[which % 3]))
    }
}

/// Creates an actor of some kind.
pub fn beget(book: &Arc<Book>, nest: &mut impl Nest, random: &mut Random) {
    let record = Record::new(book, random.next(), nest.guard());
    let kind = random.below(5);
    let is_bomb = random.below(8) == 0;
    let joins = random.below(3) == 0 && book.program.has(Feature::Groups);
    macro_rules! lay {
        ($kind:ident) => {
            nest.lay(factory(book, &record, is_bomb)).map(Seat::$kind)
        };
    }
    let seat = match kind {
        0 => lay!(Plain),
        1 => lay!(Lazy),
        2 => lay!(Rejecting),
        3 => lay!(Ending),
        _ => lay!(Soft),
    };
    // A runtime or supervisor that is over takes none.
    let Some(seat) = seat else { return };
    record.enter(book, seat);
    if joins {
        book.group.join(seat.recipient());
    }
}

/// Makes a state, and fails at it now and then if it is to make another one.
fn factory<const KIND: u8, const SIZE: usize>(
    book: &Arc<Book>,
    record: &Arc<Record>,
    is_bomb: bool,
) -> impl Fn() -> Node<KIND, SIZE> + Send + 'static {
    let (book, record, made) = (book.clone(), record.clone(), AtomicU32::new(0));
    // Where it is used once it is dropped by whoever has created the actor.
    let thing = book.thing("factory", is_bomb && record.guard.is_some());
    move || {
        let _thing = &thing;
        if made.fetch_add(1, SeqCst) > 0 && record.draw(6) == 0 {
            fail_on_purpose();
        }
        Node::new(&book, &record, is_bomb)
    }
}
