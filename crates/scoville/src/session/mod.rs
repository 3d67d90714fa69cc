//! The control loop: takes the next block from the schedule, has it driven, and writes it to the log.
