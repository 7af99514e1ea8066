//! Shared by the instruction sets: walks a run in steps of one window per lane.

use super::WINDOW;
use super::block::Block;
use super::runs::Run;

/// Upper bound of the bytes that a step reads from the start of its first window.
const READ: usize = 128;

/// Hashes all windows of `run` but the last, `LANES` at a time.
///
/// `hash` gets the text from its first window, at least [`READ`] bytes. Near the end of `text`, the
/// rest of it is copied to a buffer of that size.
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
