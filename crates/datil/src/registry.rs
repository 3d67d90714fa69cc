//! Names for actors, one table per runtime.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fmt;

use crate::actor::{Actor, Context};
use crate::address::{Address, Target};
use crate::pool::lock;
use crate::runtime::Runtime;
use crate::sync::Mutex;

struct Entry {
    target: Target,
    kind: TypeId,
    kind_name: &'static str,
}

/// The names of a runtime. An actor that has stopped has no name any more, without anybody having to take it away.
#[derive(Default)]
pub(crate) struct Registry(Mutex<HashMap<String, Entry>>);

/// Why a name was not given, or nobody was found under it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// A live actor has this name.
    Taken {
        /// The name.
        name: String,
    },
    /// The actor that was to get this name has stopped.
    Stopped {
        /// The name.
        name: String,
    },
    /// No live actor has this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The actor of this name has another type.
    OtherType {
        /// The name.
        name: String,
        /// The type that was asked for.
        wanted: &'static str,
        /// The actor's type.
        found: &'static str,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { name } => write!(
                f,
                "the name {name:?} belongs to a live actor; stop or unregister that one first"
            ),
            Self::Stopped { name } => write!(
                f,
                "the actor that was to get the name {name:?} has stopped; names are for live ones"
            ),
            Self::Unknown { name } => write!(f, "no live actor has the name {name:?}"),
            Self::OtherType { name, wanted, found } => {
                write!(f, "the actor {name:?} is of type {found}, not {wanted}")
            }
        }
    }
}

impl std::error::Error for NameError {}

impl Registry {
    fn register<A: Actor>(&self, name: &str, address: Address<A>) -> Result<(), NameError> {
        if !address.is_alive() {
            return Err(NameError::Stopped {
                name: name.to_owned(),
            });
        }
        let mut names = lock(&self.0);
        if names.get(name).is_some_and(|entry| entry.target.is_alive()) {
            return Err(NameError::Taken {
                name: name.to_owned(),
            });
        }
        if names.len() == names.capacity() {
            // Before the table grows: names of the dead take no place for ever.
            names.retain(|_, entry| entry.target.is_alive());
        }
        names.insert(
            name.to_owned(),
            Entry {
                target: address.target(),
                kind: TypeId::of::<A>(),
                kind_name: type_name::<A>(),
            },
        );
        Ok(())
    }

    pub(crate) fn whereis<A: Actor>(&self, name: &str) -> Result<Address<A>, NameError> {
        let names = lock(&self.0);
        let Some(entry) = names.get(name).filter(|entry| entry.target.is_alive()) else {
            return Err(NameError::Unknown {
                name: name.to_owned(),
            });
        };
        if entry.kind != TypeId::of::<A>() {
            return Err(NameError::OtherType {
                name: name.to_owned(),
                wanted: type_name::<A>(),
                found: entry.kind_name,
            });
        }
        // SAFETY: it was registered with this type.
        Ok(unsafe { Address::to(entry.target) })
    }

    fn unregister(&self, name: &str) -> bool {
        lock(&self.0)
            .remove(name)
            .is_some_and(|entry| entry.target.is_alive())
    }

    /// The names of those live actors that are counted in, sorted.
    pub(crate) fn names(&self, counts: impl Fn(Target) -> bool) -> Vec<String> {
        let mut names: Vec<String> = lock(&self.0)
            .iter()
            .filter(|(_, entry)| entry.target.is_alive() && counts(entry.target))
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    }
}

impl Runtime {
    /// Gives an actor a name in this runtime, for as long as it lives. An actor may have several; the actor may be of another runtime.
    ///
    /// # Errors
    /// [`NameError::Taken`] if a live actor has the name, be it this one; [`NameError::Stopped`] if the actor has stopped
    /// already. (One that stops later loses the name then.)
    pub fn register<A: Actor>(&self, name: &str, address: Address<A>) -> Result<(), NameError> {
        self.team().registry.register(name, address)
    }

    /// The actor with a name. It may stop at any time after.
    ///
    /// # Errors
    /// [`NameError::Unknown`] if there is none, [`NameError::OtherType`] if it is no `A`.
    pub fn whereis<A: Actor>(&self, name: &str) -> Result<Address<A>, NameError> {
        self.team().registry.whereis(name)
    }

    /// Takes a name away; true if a live actor had it.
    pub fn unregister(&self, name: &str) -> bool {
        self.team().registry.unregister(name)
    }

    /// The names of live actors, sorted.
    pub fn names(&self) -> Vec<String> {
        self.team().registry.names(|_| true)
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Runtime::register`].
    ///
    /// # Errors
    /// As [`Runtime::register`].
    pub fn register<B: Actor>(&mut self, name: &str, address: Address<B>) -> Result<(), NameError> {
        self.engine.team.registry.register(name, address)
    }

    /// As [`Runtime::whereis`].
    ///
    /// # Errors
    /// As [`Runtime::whereis`].
    pub fn whereis<B: Actor>(&self, name: &str) -> Result<Address<B>, NameError> {
        self.engine.team.registry.whereis(name)
    }

    /// As [`Runtime::unregister`].
    pub fn unregister(&mut self, name: &str) -> bool {
        self.engine.team.registry.unregister(name)
    }
}
