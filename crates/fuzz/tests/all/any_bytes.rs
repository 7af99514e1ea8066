//! All targets over fixtures, past findings, and mutated copies of them.
//!
//! `ISCCD_FUZZ_ROUNDS` sets the number of copies per input, and `ISCCD_FUZZ_SEED` the changes. With `ISCCD_FUZZ_TARGET`,
//! one target runs, and its last input stays in the folder of temporary files, should the process end.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use fuzz::amplify::amplified;
use fuzz::mutate::{Random, mutated};
use fuzz::{seeds, targets};

/// Copies of each input, unless the environment sets another number.
const ROUNDS: usize = 20;
const SEEDS_MAX: usize = 8;
/// Most bytes of a copy that repeats or nests a piece.
const AMPLIFIED_BYTES_MAX: usize = 64 << 10;
/// Far longer than any input of this size may take, even on a busy machine.
const SLOW: Duration = Duration::from_secs(20);

#[test]
fn any_bytes_give_a_result() {
    let rounds = std::env::var("ISCCD_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds: usize = rounds.unwrap_or(ROUNDS);
    let seed = std::env::var("ISCCD_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut findings = Vec::new();
    let wanted = std::env::var("ISCCD_FUZZ_TARGET").ok();
    for target in targets() {
        if wanted.as_ref().is_some_and(|name| name != target.name) {
            continue;
        }
        let inputs = seeds::of(&target, SEEDS_MAX).unwrap();
        assert!(!inputs.is_empty(), "{} has no input", target.name);
        let mut random = Random::new(seed.unwrap_or(1));
        let start = Instant::now();
        let mut runs = 0;
        let mut run = |input: &[u8], which: &str| {
            runs += 1;
            if wanted.is_some() {
                let last = format!("isccd-fuzz-{}-last", target.name);
                std::fs::write(std::env::temp_dir().join(last), input).unwrap();
            }
            let start = Instant::now();
            let result = catch_unwind(|| (target.run)(input));
            if result.is_err() || start.elapsed() > SLOW {
                let file = std::env::temp_dir().join(format!("isccd-fuzz-{}-{which}", target.name));
                std::fs::write(&file, input).unwrap();
                let what = if result.is_err() { "panicked" } else { "was slow" };
                findings.push(format!("{} {what}: {}", target.name, file.display()));
            }
        };
        run(&[], "empty");
        for (name, input) in seeds::findings(&target).unwrap() {
            run(&input, &name);
        }
        for (number, input) in inputs.iter().enumerate() {
            run(input, &number.to_string());
            for round in 0..rounds {
                let other = &inputs[random.below(inputs.len())];
                let changed = match round % 4 {
                    0 => amplified(input, AMPLIFIED_BYTES_MAX, &mut random),
                    _ => mutated(input, other, &mut random),
                };
                run(&changed, &format!("{number}-{round}"));
            }
        }
        if rounds != ROUNDS {
            eprintln!("{}: {runs} runs, {} s", target.name, start.elapsed().as_secs());
        }
    }
    assert_eq!(findings, Vec::<String>::new());
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = targets().iter().map(|target| target.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
