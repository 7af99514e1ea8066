//! Content-defined chunking with the gear hash (ISO 24138, Data-Code).
//!
//! A chunk ends where the bits of the running gear sum under a mask are zero. The mask is stricter
//! before the centre length and looser after it. No chunk ends before the minimum length, and every
//! chunk ends at the maximum. The end depends only on the chunk's own bytes, so chunking can start
//! at any chunk.

mod gear;
mod lockstep;
mod params;
mod portable;
mod walker;

pub use gear::GEAR;
pub use params::Params;
pub use walker::Walker;

/// Length of the first chunk of `data`, at most `params.max()`; 0 for empty data.
///
/// Equals `data.len()` if the data ends before the chunk.
pub fn first_cut(data: &[u8], params: Params) -> usize {
    let cut = portable::first_cut(data, params);
    if params.unit() == 1 || cut == data.len() {
        return cut;
    }
    let whole = cut - cut % params.unit();
    if whole == 0 { params.unit().min(data.len()) } else { whole }
}

/// Ends of the chunks of `data` (exclusive byte offsets), the last one being `data.len()`.
///
/// Empty data is one empty chunk. The iterator is lazy.
pub fn boundaries(data: &[u8], params: Params) -> Boundaries<'_> {
    Boundaries { data, params, at: None }
}

/// The iterator of [`boundaries`].
#[derive(Clone, Debug)]
pub struct Boundaries<'a> {
    data: &'a [u8],
    params: Params,
    at: Option<usize>,
}

impl Iterator for Boundaries<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = match self.at {
            Some(end) if end == self.data.len() => return None,
            Some(end) => end,
            None => 0,
        };
        let end = at + first_cut(&self.data[at..], self.params);
        self.at = Some(end);
        Some(end)
    }
}
