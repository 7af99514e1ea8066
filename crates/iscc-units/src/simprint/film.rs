//! Content video simprints (experimental, version 0): the Video-Code of each part of a film.
//!
//! Design: docs/design/clips.md.

use std::ops::{Range, RangeInclusive};

use super::{Features, Simprint};
use crate::kernels::wta::{COLUMNS, Row};
use crate::video;

/// Maximum number of frames of a part: 2 s at five frames per second.
const PART_FRAMES: usize = 10;
/// Frames between the starts of two parts of a shot. A clip that begins anywhere in the shot has parts that overlap three
/// quarters of one of these at least.
const HOP_FRAMES: usize = 5;
/// Shorter shots have no part, because few frames say little.
const SHOT_FRAMES_MIN: usize = 3;

/// Sum of the differences of two frame signatures from which a shot may end between them: a quarter of the greatest sum.
/// Camera moves stay below 180, cuts exceed 240.
const CUT_DISTANCE: u32 = COLUMNS as u32 * 2 / 4;
/// A cut differs this many times as much as the frames around it do.
const CUT_CONTRAST: u32 = 2;
/// Number of differences on each side of a cut that are compared with it.
const CUT_SURROUNDINGS: usize = 4;

/// Fewest and most ones of a part's 256 bits. A black or evenly coloured part has zeros only; those of different films would
/// be similar.
const ONES: RangeInclusive<u32> = 64..=192;
/// Most bits in which the parts of a still shot differ from its first one.
const STILL_BITS: u32 = 8;

/// The simprints of a film in order, with offsets and sizes in milliseconds. `times` has the milliseconds of each frame.
///
/// A film is split at its cuts, and longer shots into overlapping parts, unless they are still. Featureless parts and very
/// short shots are left out, so that there may be none.
pub fn features(frames: &[Row<u8>], times: &[u64]) -> Features {
    let mut features = Features::default();
    let starts = shots(frames);
    for shot in starts.windows(2).map(|bounds| bounds[0]..bounds[1]) {
        for (part, simprint) in joined(frames, parts(shot)) {
            if is_featureless(&simprint) {
                continue;
            }
            let start = times[part.start];
            features.simprints.push(simprint);
            features.offsets.push(start);
            features.sizes.push(end_of(times, part.end).saturating_sub(start));
        }
    }
    features
}

/// The time at which the frame before `end` is no longer shown.
fn end_of(times: &[u64], end: usize) -> u64 {
    match times {
        [.., before, last] if end == times.len() => last + last.saturating_sub(*before),
        _ => times.get(end).copied().unwrap_or(0),
    }
}

/// The first frame of each shot, and the number of frames.
fn shots(frames: &[Row<u8>]) -> Vec<usize> {
    let distances: Vec<u32> = frames.windows(2).map(|pair| distance(&pair[0], &pair[1])).collect();
    let cuts = (0..distances.len()).filter(|&at| is_cut(&distances, at)).map(|at| at + 1);
    std::iter::once(0).chain(cuts).chain([frames.len()]).collect()
}

fn distance(a: &Row<u8>, b: &Row<u8>) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

/// Whether frames differ much, and much more than those around them: fast motion has large differences, too.
fn is_cut(distances: &[u32], at: usize) -> bool {
    let before = &distances[at.saturating_sub(CUT_SURROUNDINGS)..at];
    let after = &distances[at + 1..(at + 1 + CUT_SURROUNDINGS).min(distances.len())];
    let (sum, count) = (before.iter().chain(after).sum::<u32>(), before.len() + after.len());
    distances[at] >= CUT_DISTANCE && distances[at] * count as u32 >= CUT_CONTRAST * sum
}

/// The parts with their simprints. Successive ones that are almost equal are one: the shot is still.
fn joined(frames: &[Row<u8>], parts: Vec<Range<usize>>) -> Vec<(Range<usize>, Simprint)> {
    let mut runs: Vec<(Range<usize>, Simprint)> = Vec::new();
    for part in parts {
        let simprint = simprint(&frames[part.clone()]);
        match runs.last_mut() {
            Some((run, first)) if differing_bits(first, &simprint) <= STILL_BITS => {
                run.end = part.end;
            }
            _ => runs.push((part, simprint)),
        }
    }
    for (run, of_run) in runs.iter_mut().filter(|(run, _)| run.len() > PART_FRAMES) {
        *of_run = simprint(&frames[run.clone()]);
    }
    runs
}

fn differing_bits(a: &Simprint, b: &Simprint) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// The parts of a shot. The last one ends with it.
fn parts(shot: Range<usize>) -> Vec<Range<usize>> {
    match shot.len() {
        0..SHOT_FRAMES_MIN => Vec::new(),
        SHOT_FRAMES_MIN..=PART_FRAMES => vec![shot],
        _ => {
            let last = shot.end - PART_FRAMES;
            let starts = (shot.start..last).step_by(HOP_FRAMES).chain([last]);
            starts.map(|start| start..start + PART_FRAMES).collect()
        }
    }
}

/// The simprint of a part, which has frames. That of too many frames is featureless.
fn simprint(frames: &[Row<u8>]) -> Simprint {
    video::digest(frames.as_flattened()).unwrap_or_default()
}

fn is_featureless(simprint: &Simprint) -> bool {
    !ONES.contains(&simprint.iter().map(|byte| byte.count_ones()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame that depends on a seed, and differs a little with each number.
    fn frame(seed: u32, number: u32) -> Row<u8> {
        let mut state = seed;
        let mut value = |wide: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % wide
        };
        let mut row = [0; COLUMNS];
        for (at, element) in row.iter_mut().enumerate() {
            let own = value(3);
            let moved = (at as u32 + number).is_multiple_of(23);
            *element = if moved { (own + 1) % 3 } else { own } as u8;
        }
        row
    }

    fn shot(seed: u32, frames: u32) -> Vec<Row<u8>> {
        (0..frames).map(|number| frame(seed, number)).collect()
    }

    fn of(frames: &[Row<u8>]) -> Features {
        features(frames, &(0..frames.len() as u64).map(|at| 200 * at).collect::<Vec<_>>())
    }

    #[test]
    fn shots_are_parts_and_long_ones_several() {
        let film = [shot(1, 8), shot(2, 2), shot(3, 23)].concat();
        let found = of(&film);
        assert_eq!(found.offsets, [0, 2000, 3000, 4000, 4600]);
        assert_eq!(found.sizes, [1600, 2000, 2000, 2000, 2000]);
        assert_eq!(found.simprints[0], video::digest(film[..8].as_flattened()).unwrap());
        assert_eq!(found.simprints[4], video::digest(film[23..].as_flattened()).unwrap());
    }

    #[test]
    fn a_shot_has_the_same_simprints_in_other_films() {
        let alone = of(&shot(3, 40));
        let within = of(&[shot(1, 7), shot(3, 40), shot(2, 9)].concat());
        assert_eq!(within.simprints[1..=alone.simprints.len()], alone.simprints);
    }

    #[test]
    fn a_still_shot_is_one_part() {
        let still = vec![frame(5, 0); 42];
        let found = of(&[shot(1, 8), still.clone(), shot(2, 8)].concat());
        assert_eq!(found.offsets, [0, 1600, 10_000]);
        assert_eq!(found.sizes, [1600, 8400, 1600]);
        assert_eq!(found.simprints[1], video::digest(still.as_flattened()).unwrap());
    }

    #[test]
    fn restless_frames_are_one_shot() {
        let restless: Vec<Row<u8>> = (0..20).map(|seed| frame(seed * 7 + 1, 0)).collect();
        assert_eq!(shots(&restless), [0, 20]);
    }

    #[test]
    fn even_frames_have_no_simprint() {
        let film = [shot(1, 10), vec![[1; COLUMNS]; 30], shot(2, 10)].concat();
        let found = of(&film);
        assert_eq!(found.offsets, [0, 8000]);
        assert_eq!(of(&[]), Features::default());
        assert_eq!(of(&[[1; COLUMNS]]), Features::default());
    }
}
