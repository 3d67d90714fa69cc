//! Whether thefts pay, for policies that wake a sleeping worker only where that was worth it lately.
//!
//! Idle workers that poll rob others every now and then, whatever the program is. Each of these thefts is an experiment that costs nobody
//! anything: either what was taken keeps the thief busy for longer than it takes to wake somebody, or the thief is back at once; either its
//! messages stay with it, or much of its time goes into what others send. Nothing needs to be tried, then, to find out whether another
//! worker would be worth waking. Programs that live of messages between a few actors show no theft that pays, and nobody is woken for
//! them; in others one theft proves what the next sleepers are good for.

use crate::{Board, Nanos, Stint};

/// What was taken must keep the thief busy for so long: about twice what passes between waking somebody and its being at work.
const WORTH: Nanos = 20_000;
/// One in so many parts of that time is what others may cost the thief ([`Stint::toll`]).
const TOO_MUCH: Nanos = 4;
/// More are not remembered: what a program did a while ago says little about what it does now.
const REMEMBERED: u32 = 4;

/// Whether what a thief took was worth it.
pub(crate) fn pays(now: Nanos, stint: Stint) -> bool {
    let lasted = now.saturating_sub(stint.began);
    lasted > WORTH && stint.toll < lasted / TOO_MUCH
}

/// The board after a theft that paid or did not; [`Board::paid`] counts by how many the former are ahead.
pub(crate) fn remember(pays: bool, board: Board) -> Board {
    let paid = if pays {
        (board.paid + 1).min(REMEMBERED)
    } else {
        board.paid.saturating_sub(1)
    };
    Board { paid, ..board }
}

/// Whether more thefts than not have paid lately.
pub(crate) fn are_proven(board: Board) -> bool {
    board.paid > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stint(toll: Nanos) -> Stint {
        Stint {
            began: 1_000,
            messages: 1,
            toll,
        }
    }

    #[test]
    fn a_theft_pays_by_keeping_the_thief_busy_with_its_own() {
        assert!(!pays(1_000 + WORTH, stint(0)), "back too soon");
        assert!(pays(1_001 + WORTH, stint(0)));
        assert!(pays(101_000, stint(24_999)));
        assert!(!pays(101_000, stint(25_000)), "others took a quarter");
        assert!(!pays(0, stint(0)), "clocks of two processors may differ");
    }

    #[test]
    fn more_thefts_must_pay_than_not_and_many_are_forgotten_soon() {
        let after = |thefts: &[bool]| {
            let board = thefts
                .iter()
                .fold(Board::default(), |board, &pays| remember(pays, board));
            are_proven(board)
        };
        assert!(!after(&[]));
        assert!(after(&[true]));
        assert!(!after(&[true, false]));
        assert!(after(&[false, false, false, true]), "what failed long ago");
        let mut long = vec![true; 1_000];
        long.extend([false; REMEMBERED as usize - 1]);
        assert!(after(&long));
        long.push(false);
        assert!(!after(&long));
    }
}
