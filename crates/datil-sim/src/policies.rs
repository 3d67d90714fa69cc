//! The policies that the simulated host can run, by name.

use datil_policy::Policy;

use crate::host::Rules;

/// A policy.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name by which it is chosen.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    pub(crate) rules: Rules,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// Whether it decides for actors that belong to workers, as datil's do, and for no others: the machine must have owners
    /// ([`Machine::with_owners`](crate::machine::Machine::with_owners)).
    pub fn wants_owners(&self) -> bool {
        self.rules.wants_owners()
    }
}

const fn entry<P: Policy>(about: &'static str) -> Entry {
    Entry {
        name: P::NAME,
        about,
        rules: Rules::of::<P>(),
    }
}

macro_rules! all {
    ($($policy:ident $about:literal)*) => {
        /// All of them.
        pub const ALL: &[Entry] = &[$(entry::<datil_policy::$policy>($about),)*];
    };
}

datil_policy::with_simulated_policies!(all);

/// The policy with this name.
///
/// # Errors
/// A text that names all policies.
pub fn find(name: &str) -> Result<&'static Entry, String> {
    ALL.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        format!(
            "there is no policy {name:?} to simulate; there are {}",
            names.join(", ")
        )
    })
}
