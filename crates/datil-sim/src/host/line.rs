//! A line of simulated memory.

use crate::machine::{Cycles, Memory};

/// A line, which is where it was written last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line(Option<usize>);

impl Line {
    /// Time until the line is at a unit, which writes it.
    pub(super) fn fetch(&mut self, memory: &mut Memory, pu: usize) -> Cycles {
        let from = self.0.replace(pu);
        from.map_or(0, |from| memory.transfer(from, pu, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::preset;

    #[test]
    fn a_line_travels_only_between_units() {
        let mut memory = Memory::new(&preset("pair").expect("a preset"));
        let mut line = Line::default();
        assert_eq!(line.fetch(&mut memory, 1), 0, "nobody has written it");
        assert_eq!(line.fetch(&mut memory, 1), 0);
        let way = memory.transfer(1, 0, 1);
        assert_eq!((line.fetch(&mut memory, 0), line.fetch(&mut memory, 0)), (way, 0));
        assert!(way > 0);
    }
}
