//! Driver for libFuzzer. `scripts/fuzz.mjs` builds and starts it.
//!
//! `ISCCD_FUZZ_TARGET` names the target; without it, the names of all targets are printed. The inputs to start from are
//! written to the folder `ISCCD_FUZZ_CORPUS`.

#![no_main]

use std::panic::catch_unwind;
use std::path::Path;
use std::process::{abort, exit};
use std::sync::OnceLock;

use fuzz::amplify::amplified;
use fuzz::mutate::Random;
use fuzz::{Target, seeds, target, targets};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

/// Most files per target to start from.
const SEEDS_MAX: usize = 100;

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(
    init: start(),
    |input: &[u8]| {
        let Some(target) = TARGET.get() else { abort() };
        if catch_unwind(|| (target.run)(input)).is_err() {
            abort();
        }
    }
);

// One mutation in four knows structure; the others are those of libFuzzer.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 4 != 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let changed = amplified(&data[..size], max_size, &mut Random::new(u64::from(seed)));
    let length = changed.len().min(max_size);
    data[..length].copy_from_slice(&changed[..length]);
    length
});

fn start() {
    // libFuzzer's own hook aborts on panics that the product catches.
    let _ = std::panic::take_hook();
    let Ok(name) = std::env::var("ISCCD_FUZZ_TARGET") else {
        targets().iter().for_each(|target| println!("{}", target.name));
        exit(0);
    };
    let Some(named) = target(&name) else {
        eprintln!("no target has the name {name}");
        exit(2);
    };
    if let Ok(corpus) = std::env::var("ISCCD_FUZZ_CORPUS")
        && let Err(error) = write_seeds(&named, Path::new(&corpus))
    {
        eprintln!("{corpus}: {error}");
        exit(2);
    }
    TARGET.get_or_init(|| named);
}

fn write_seeds(target: &Target, folder: &Path) -> std::io::Result<()> {
    for (number, input) in seeds::of(target, SEEDS_MAX)?.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), input)?;
    }
    Ok(())
}
