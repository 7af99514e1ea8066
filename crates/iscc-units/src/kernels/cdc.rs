//! Content-defined chunking with the gear hash (ISO 24138, Data-Code).
//!
//! A chunk ends where the running gear sum meets a mask: a stricter mask before the centre length, a
//! looser one after it, nothing before the minimum, and always at the maximum. Where a chunk ends
//! depends on its own bytes only, so chunking may start anywhere a chunk starts.

mod gear;
mod lockstep;
mod params;
mod portable;
mod walker;

pub use gear::GEAR;
pub use params::Params;
pub use walker::Walker;

/// Length of the first chunk of `data`, at most `params.max()`; 0 for no data.
///
/// Equal to `data.len()` also when the data ends before the chunk does.
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
/// Empty data is one empty chunk. The iterator scans as it is asked.
pub fn boundaries(data: &[u8], params: Params) -> Boundaries<'_> {
    Boundaries { data, params, at: None }
}

/// Iterator of [`boundaries`].
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
