//! What the hand-written programs of Fibonacci have in common.

/// Checks what the root of the calls responds.
pub fn check(index: i64, value: i64, actors: i64) {
    let (fibonacci, _) = (1..index).fold((1, 1), |(this, next), _| (next, this + next));
    assert_eq!((value, actors), (fibonacci, 2 * fibonacci - 1));
}
