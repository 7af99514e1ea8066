//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod bindings;
mod budget;
mod changes;
mod common;
mod early_end;
mod following;
mod foreign;
#[cfg(target_os = "linux")]
mod full_disk;
mod graphs;
mod killed;
mod merge_memory;
mod one_name;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod out_of_memory;
mod page_check;
mod paths;
mod read_only;
mod recorded;
mod response_size;
#[cfg(target_os = "linux")]
mod saturated;
mod scan;
mod sealed;
mod sealed_damage;
mod set_aside;
mod similar;
mod simprints;
#[cfg(unix)]
mod stale_readers;
mod tiers;
mod typed;
#[cfg(target_os = "linux")]
mod warm;
