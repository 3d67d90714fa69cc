//! The commands of the tool: what each one asks for and prints.
