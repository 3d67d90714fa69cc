//! The benchmarks' definitions, read from one TOML file each.
