//! From what was asked to a resolved plan. Pure.
