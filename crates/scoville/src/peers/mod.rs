//! Manifests of foreign runtimes, their requirements and builds, and the runtimes inside this binary.
