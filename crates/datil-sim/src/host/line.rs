//! A line of simulated memory.

use crate::machine::{Cycles, Memory};

/// A line, which is where it was written last, and wherever it was looked at since.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    writer: Option<usize>,
    /// Those that have looked, the last one at the end, besides the writer.
    readers: Vec<usize>,
}

impl Line {
    /// Time until the line is at a unit, which writes it: it comes from where it was written, or, if that is there, all copies must go.
    pub(super) fn fetch(&mut self, memory: &mut Memory, pu: usize) -> Cycles {
        let holder = match self.writer {
            Some(writer) if writer == pu => self.readers.last().copied(),
            elsewhere => elsewhere,
        };
        self.store(pu);
        holder.map_or(0, |holder| memory.transfer(holder, pu, 1))
    }

    /// A unit writes the line and does not wait for it.
    pub(super) fn store(&mut self, pu: usize) {
        self.writer = Some(pu);
        self.readers.clear();
    }

    /// Time until a unit has a copy of the line.
    pub(super) fn look(&mut self, memory: &mut Memory, pu: usize) -> Cycles {
        let Some(writer) = self.writer.filter(|&writer| writer != pu) else {
            return 0;
        };
        if self.readers.contains(&pu) {
            return 0;
        }
        self.readers.push(pu);
        memory.transfer(writer, pu, 1)
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

    #[test]
    fn copies_are_good_until_somebody_writes() {
        let mut memory = Memory::new(&preset("opteron").expect("a preset"));
        let far = memory.node(63) * 8;
        let way = memory.transfer(0, far, 1);
        assert!(way > 0);
        let mut line = Line::default();
        assert_eq!(line.look(&mut memory, far), 0, "nobody has written it");
        line.store(0);
        assert_eq!(line.look(&mut memory, 0), 0, "whoever has written it has it");
        assert_eq!(
            (line.look(&mut memory, far), line.look(&mut memory, far)),
            (way, 0)
        );
        assert_eq!(line.fetch(&mut memory, 0), way, "the copy must go");
        assert_eq!(line.fetch(&mut memory, 0), 0);
        assert_eq!(line.look(&mut memory, far), way);
        line.store(0);
        assert_eq!(line.look(&mut memory, far), way);
    }
}
