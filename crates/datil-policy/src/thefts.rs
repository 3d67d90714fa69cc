//! Whether thefts pay, for policies that wake a sleeping worker only where that was worth it lately.
//!
//! Idle workers that poll rob others every now and then, whatever the program is. Each of these thefts is an experiment that costs nobody
//! anything: either what was taken keeps the thief busy for longer than it takes to wake somebody, or the thief is back at once; either its
//! messages stay with it, or much of its time goes into what others send. Nothing needs to be tried, then, to find out whether another
//! worker would be worth waking. Programs that live of messages between a few actors show no theft that pays, and nobody is woken for
//! them; in others one theft proves what the next sleepers are good for.
//!
//! For a neighbour less is asked, since what it takes lies near: that thefts get done on average, besides their toll, what waking somebody
//! costs. Until that is known it is taken for granted, for many a program is over before anything is proven.

use crate::{Board, Nanos, Stint};

/// What was taken must keep the thief busy for so long: about twice what passes between waking somebody and its being at work.
const WORTH: Nanos = 20_000;
/// One in so many parts of that time is what others may cost the thief ([`Stint::toll`]).
const TOO_MUCH: Nanos = 4;
/// More are not remembered: what a program did a while ago says little about what it does now.
const REMEMBERED: u32 = 4;

/// A thief whose theft got so much done expects the next one to, too: what a theft that pays has at least.
const WORTH_A_SEARCH: Nanos = WORTH - WORTH / TOO_MUCH;
/// What a theft must get done on average for a neighbour to be woken: about what it costs to wake somebody.
const WORTH_A_CALL: Nanos = 3_000;
/// What is expected of a theft at first. Some forty for nothing make it [`WORTH_A_CALL`].
const EXPECTED: Nanos = 30_000;
/// More than this does not count: one long message says nothing about the next theft.
const MOST: Nanos = 100_000;
/// The mean forgets a theft after about so many others.
const THEFTS: Nanos = 16;

/// What a thief got done of its own.
fn gain(now: Nanos, stint: Stint) -> Nanos {
    now.saturating_sub(stint.began).saturating_sub(stint.toll)
}

/// Whether what a thief took was worth it.
pub(crate) fn pays(now: Nanos, stint: Stint) -> bool {
    let lasted = now.saturating_sub(stint.began);
    lasted > WORTH && stint.toll < lasted / TOO_MUCH
}

/// Whether the thief ought to look for more at once.
pub(crate) fn is_worth_a_search(now: Nanos, stint: Stint) -> bool {
    gain(now, stint) > WORTH_A_SEARCH
}

/// The board after a theft; [`Board::paid`] counts by how many those that paid are ahead.
pub(crate) fn remember(now: Nanos, stint: Stint, board: Board) -> Board {
    let paid = if pays(now, stint) {
        (board.paid + 1).min(REMEMBERED)
    } else {
        board.paid.saturating_sub(1)
    };
    let before = expected(board);
    let after = before - before.div_ceil(THEFTS) + gain(now, stint).min(MOST) / THEFTS;
    Board {
        paid,
        gain: after.max(1),
        ..board
    }
}

/// What a theft will get done, by what is known.
fn expected(board: Board) -> Nanos {
    match board.gain {
        0 => EXPECTED,
        known => known,
    }
}

/// Whether more thefts than not have paid lately.
pub(crate) fn are_proven(board: Board) -> bool {
    board.paid > 0
}

/// Whether a theft is worth waking a neighbour for.
pub(crate) fn are_worth_a_call(board: Board) -> bool {
    expected(board) > WORTH_A_CALL
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
            let board = thefts.iter().fold(Board::default(), |board, &pays| {
                let lasted = if pays { 2 * WORTH } else { 0 };
                remember(1_000 + lasted, stint(0), board)
            });
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

    /// The board after so many thefts that each got this much done.
    fn after(thefts: u32, gain: Nanos, board: Board) -> Board {
        (0..thefts).fold(board, |board, _| remember(1_000 + 2 * gain, stint(gain), board))
    }

    #[test]
    fn a_theft_that_pays_is_worth_a_search_and_so_are_longer_ones_with_much_toll() {
        let searches = |lasted: Nanos, toll| is_worth_a_search(1_000 + lasted, stint(toll));
        assert!(searches(20_001, 4_999) && pays(21_001, stint(4_999)));
        assert!(searches(60_000, 44_999) && !pays(61_000, stint(44_999)));
        assert!(!searches(60_000, 45_000));
        assert!(!searches(15_000, 0) && !searches(100, 200));
    }

    #[test]
    fn neighbours_are_called_until_many_thefts_got_little_done() {
        assert!(are_worth_a_call(Board::default()));
        let poor = after(30, 500, Board::default());
        assert!(are_worth_a_call(poor), "{poor:?}");
        let poor = after(20, 500, poor);
        assert!(!are_worth_a_call(poor), "{poor:?}");
        assert!(!are_worth_a_call(after(1_000, 2_900, poor)));
        assert!(are_worth_a_call(after(1_000, 3_500, poor)));
        assert!(are_worth_a_call(after(1_000, 3_500, Board::default())));
        let unlucky = after(100_000, 0, Board::default());
        assert!(unlucky.gain > 0, "it is known");
        assert!(are_worth_a_call(after(1, MOST, unlucky)));
    }

    #[test]
    fn a_single_long_theft_does_not_count_for_many() {
        let long = after(1, 1_000 * MOST, after(100_000, 0, Board::default()));
        assert!(are_worth_a_call(long));
        assert!(!are_worth_a_call(after(15, 0, long)), "{long:?}");
    }
}
