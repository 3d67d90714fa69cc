//! The list in which others leave something for a worker, in simulated memory.

use std::collections::VecDeque;

use crate::machine::{Cycles, Memory};

/// Times at which it will be in use that are remembered. Those that are over are among them until they are forgotten.
const REMEMBERED: usize = 64;

/// A line that travels to whoever leaves something, or takes what is there; others wait meanwhile.
///
/// What a worker does in one step is decided in one go, though the last of it happens long after the first. So one who comes earlier may be
/// dealt with later, and must not wait for what is still to come: it finds the gap before that.
#[derive(Debug, Default)]
pub(super) struct Door {
    owner: Option<usize>,
    /// From when until when it is in use, in the order of time.
    held: VecDeque<(Cycles, Cycles)>,
}

impl Door {
    /// Time that it takes a unit that comes `now` to have the line, with `hold` cycles of work there.
    pub(super) fn take(&mut self, memory: &mut Memory, pu: usize, now: Cycles, hold: Cycles) -> Cycles {
        let transfer = self.owner.map_or(0, |owner| memory.transfer(owner, pu, 1));
        let needed = transfer + hold;
        let mut begin = now;
        let mut place = self.held.len();
        for (index, &(from, until)) in self.held.iter().enumerate() {
            if begin + needed <= from {
                place = index;
                break;
            }
            begin = begin.max(until);
        }
        self.owner = Some(pu);
        self.held.insert(place, (begin, begin + needed));
        if self.held.len() > REMEMBERED {
            self.held.pop_front();
        }
        memory.wait(begin - now);
        begin + needed - now
    }

    /// Time to look whether something is there.
    pub(super) fn look(&self, memory: &mut Memory, pu: usize) -> Cycles {
        self.owner.map_or(0, |owner| memory.transfer(owner, pu, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::preset;

    /// When those have what they came for who come at these times one after the other, each for ten cycles, all on one unit.
    fn ends<const N: usize>(times: [Cycles; N]) -> [Cycles; N] {
        let mut memory = Memory::new(&preset("pair").expect("a preset"));
        let mut door = Door::default();
        times.map(|now| now + door.take(&mut memory, 0, now, 10))
    }

    #[test]
    fn who_comes_while_it_is_in_use_waits() {
        assert_eq!(ends([100, 105, 105]), [110, 120, 130]);
    }

    #[test]
    fn who_comes_before_it_is_used_does_not_wait() {
        assert_eq!(ends([1_000, 100]), [1_010, 110]);
        assert_eq!(ends([1_000, 990]), [1_010, 1_000]);
    }

    #[test]
    fn a_gap_that_is_too_short_is_left_alone() {
        assert_eq!(ends([1_000, 995]), [1_010, 1_020]);
        assert_eq!(ends([1_000, 1_015, 995]), [1_010, 1_025, 1_035]);
    }

    #[test]
    fn the_line_travels_to_whoever_comes() {
        let machine = preset("pair").expect("a preset");
        let mut memory = Memory::new(&machine);
        let mut door = Door::default();
        assert_eq!(door.take(&mut memory, 0, 0, 10), 10);
        let way = memory.transfer(0, 1, 1);
        assert_eq!(door.take(&mut memory, 1, 100, 10), way + 10);
        assert_eq!(door.look(&mut memory, 1), 0);
        assert_eq!(door.look(&mut memory, 0), way);
    }
}
