//! How often a worker looks whether somebody sleeps who could be woken.
//!
//! Who queues an actor behind another one may wake a sleeper for it. To find one it reads what the others write when they lie down and get up, and where many
//! do that all the time each look takes about as long as a short message. So each look in vain doubles the number of actors that are queued before
//! the next one, up to a limit, and once somebody was woken the next actor is reason enough to look again.

/// Most actors that are queued between two looks. In a framework whose messages take some hundred cycles, queueing so many takes a few microseconds, less than a
/// woken worker needs to get to work. Twice as many gained nothing.
const MOST: u32 = 31;

/// When a worker looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookout {
    /// Actors that are queued before the next look, as of the last one.
    pause: u32,
    /// Those that are left of them.
    left: u32,
}

impl Lookout {
    /// Whether the worker, which has queued an actor, looks now.
    pub(crate) fn is_due(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        left.is_none()
    }

    /// It has looked, and has woken somebody or not.
    pub(crate) fn looked(&mut self, woke: bool) {
        self.pause = if woke { 0 } else { (2 * self.pause + 1).min(MOST) };
        self.left = self.pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many actors are queued before each of so many looks, none of which finds anybody.
    fn pauses(lookout: &mut Lookout, looks: usize) -> Vec<u32> {
        let pauses = (0..looks).map(|_| {
            let pause = (0..).take_while(|_| !lookout.is_due()).count();
            lookout.looked(false);
            pause as u32
        });
        pauses.collect()
    }

    #[test]
    fn looks_in_vain_become_rare_but_never_cease() {
        let mut lookout = Lookout::default();
        assert_eq!(pauses(&mut lookout, 8), [0, 1, 3, 7, 15, 31, 31, 31]);
    }

    #[test]
    fn whoever_has_woken_somebody_looks_for_the_next_actor_too() {
        let mut lookout = Lookout::default();
        pauses(&mut lookout, 8);
        lookout.looked(true);
        assert_eq!(pauses(&mut lookout, 3), [0, 1, 3]);
    }
}
