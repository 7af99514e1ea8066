//! Every parser of untrusted bytes behind one interface, for a fuzzer.
//!
//! A target takes any bytes. It must return within seconds and without a panic; targets with a slow twin also compare
//! the results. `cargo test -p fuzz` runs all targets over mutated fixtures; `npm run fuzz` searches for new paths,
//! guided by coverage.

pub mod amplify;
mod codes;
mod kernels;
mod logs;
mod manifests;
mod media;
pub mod mutate;
mod packages;
mod queries;
pub mod seeds;

/// A parser, or a family of parsers.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name in commands and reports.
    pub name: &'static str,
    /// Parses any bytes.
    pub run: fn(&[u8]),
    /// Files to start from: ends of paths below `test/fixtures`.
    pub seeds: &'static [&'static str],
    /// Inputs to start from, besides files.
    pub examples: &'static [&'static str],
}

/// All targets.
pub fn targets() -> Vec<Target> {
    [
        codes::TARGETS,
        kernels::TARGETS,
        logs::TARGETS,
        manifests::TARGETS,
        media::TARGETS,
        queries::TARGETS,
    ]
    .concat()
}

/// The target with this name.
pub fn target(name: &str) -> Option<Target> {
    targets().into_iter().find(|target| target.name == name)
}
