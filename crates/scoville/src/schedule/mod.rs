//! Which block comes next, and when to stop. Pure and seeded.
