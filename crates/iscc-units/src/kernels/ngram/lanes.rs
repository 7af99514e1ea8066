//! What the instruction sets share: walking a run in steps of as many windows as they have lanes.

use super::WINDOW;
use super::block::Block;
use super::runs::Run;

/// Bytes that a step may read past the start of its last window, and more.
const READ: usize = 128;

/// Hashes all windows of `run` but the last, `LANES` at a time.
///
/// `hash` gets the text from the first of its windows on, with [`READ`] bytes at least. Near the end
/// of `text`, where they are not there, the rest of it is moved to where they are.
#[inline(always)]
pub(super) fn walk<const LANES: usize, S: FnMut(&[u32])>(
    text: &[u8],
    run: Run,
    block: &mut Block<S>,
    hash: impl Fn(&[u8; READ]) -> [u32; LANES],
) -> usize {
    let windows = run.characters - WINDOW;
    let mut done = 0;
    while done < windows {
        let rest = &text[done * run.width..];
        let features = match rest.first_chunk::<READ>() {
            Some(rest) => hash(rest),
            None => {
                let mut padded = [0; READ];
                padded[..rest.len()].copy_from_slice(rest);
                hash(&padded)
            }
        };
        block.push_lanes(features, windows - done);
        done += LANES;
    }
    windows
}
