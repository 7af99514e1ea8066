//! Privileges of a process of root.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Those that a process needs to read and write files that other users own. With more, such as `CAP_PERFMON`, root reads the
/// environment of other processes in spite of Landlock.
const KEPT: CapabilitySet =
    CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH).union(CapabilitySet::FOWNER);

/// Gives up all other ones. A process that has none of them needs no permission for it.
pub fn drop_others() -> Result<(), String> {
    reduce().map_err(|error| format!("the capabilities can't be given up: {error}"))
}

fn reduce() -> rustix::io::Result<()> {
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    if KEPT.contains(permitted) && inheritable.is_empty() {
        return Ok(());
    }
    let inheritable = CapabilitySet::empty();
    let (effective, permitted) = (effective & KEPT, permitted & KEPT);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })
}
