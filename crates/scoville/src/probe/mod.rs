//! Facts and sensors of the machine.
