//! `text_collapse` in one pass (ISO 24138): NFD, lower case, no white space, no C*, M*, P*, then
//! NFKC.
//!
//! The definition has five passes. All steps before NFKC work on single characters, because
//! canonical ordering only moves marks, which are removed. So a table has the action of each
//! character. Two cases need context: a capital sigma at the end of a word, and the few characters
//! that NFKC merges with preceding ones.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
mod sigma;

use std::hint::select_unpredictable;

use unicode_normalization::UnicodeNormalization;

use super::utf8::{self, Output};
use crate::kernels::table::{Action, COLLAPSE};
use crate::simd::{InstructionSet, Level};

/// `text` without case, white space, marks, punctuation and control characters.
pub fn collapse_at(level: Level, text: &str) -> String {
    match level.set() {
        InstructionSet::Portable => collapse_with(text, portable::ascii_run),
        // SAFETY: a level proves that this machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe { avx2::collapse(text) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe { avx512::collapse(text) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => collapse_with(text, portable::ascii_run),
    }
}

/// The pass, for an instruction set's `ascii_run`. That function collapses the ASCII characters at
/// the start of its input and returns their number.
#[inline(always)]
fn collapse_with(text: &str, ascii_run: impl Fn(&[u8], &mut Output) -> usize) -> String {
    let mut pass = Pass { text, out: Output::for_input(text.len()), tail: 0 };
    let mut at = 0;
    while at < text.len() {
        let before = pass.out.len();
        at += ascii_run(&text.as_bytes()[at..], &mut pass.out);
        if pass.out.len() > before {
            pass.tail = pass.out.len() - 1;
        }
        at = pass.simple_run(at);
        while at < text.len() && text.as_bytes()[at] >= 0x80 {
            at = pass.character(at);
            at = pass.simple_run(at);
        }
    }
    pass.out.into_string()
}

/// Replacement of every ASCII character; [`DROPPED`] if it is removed.
const ASCII: [u8; 128] = {
    let mut forms = [DROPPED; 128];
    let mut c = 0;
    while c < 128 {
        let entry = COLLAPSE.entry(c as u32);
        if entry.is_keep() {
            forms[c as usize] = c;
        } else if entry.short().len == 1 {
            forms[c as usize] = entry.short().bytes[0];
        }
        c += 1;
    }
    forms
};

const DROPPED: u8 = 0xFF;

struct Pass<'a> {
    text: &'a str,
    out: Output,
    /// Start of the output of the last kept character. Output before it is final.
    tail: usize,
}

impl Pass<'_> {
    /// Handles characters of two and three bytes while their action is to keep, remove or replace
    /// them with a short text; returns the next position.
    #[inline(always)]
    fn simple_run(&mut self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(&word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            let Some((c, kept)) = utf8::decode_two_or_three(word) else { break };
            let entry = COLLAPSE.entry(c);
            if !entry.is_simple() {
                break;
            }
            let text = entry.instead_of(kept);
            self.tail = select_unpredictable(text.len > 0, self.out.len(), self.tail);
            self.out.push_short(text);
            at += kept.len;
        }
        at
    }

    /// Performs the action of the character at `at`; returns the next position.
    #[inline(always)]
    fn character(&mut self, at: usize) -> usize {
        // SAFETY: the pass advances by whole characters and is before the end.
        let (c, width) = unsafe { utf8::decode(self.text, at) };
        let after = at + width;
        let left = self.text.len() - after;
        match COLLAPSE.action(COLLAPSE.entry(c)) {
            Action::Drop => {}
            Action::Keep => {
                self.tail = self.out.len();
                self.out.push_text(&self.text[at..after], left);
            }
            Action::Short(text) => {
                self.tail = self.out.len();
                self.out.push_short(text);
            }
            Action::Long(text) => {
                self.tail = self.out.len();
                self.out.push_text(text, left);
            }
            Action::Compose(text) => return self.compose(text, after),
            // In the collapse table, these are only for capital sigma.
            Action::Mark | Action::Special => {
                self.tail = self.out.len();
                let lower = if sigma::is_final(self.text, at) { "ς" } else { "σ" };
                self.out.push_text(lower, left);
            }
        }
        after
    }

    /// Applies NFKC to the last kept character, `text` and all following ones that merge.
    ///
    /// NFKC of a text that starts with NFKC is NFKC of the whole, so the output serves as input.
    #[cold]
    fn compose(&mut self, text: &str, mut at: usize) -> usize {
        let mut tail = self.out.text_from(self.tail).to_owned();
        tail.push_str(text);
        while at < self.text.len() {
            // SAFETY: the pass advances by whole characters and is before the end.
            let (c, width) = unsafe { utf8::decode(self.text, at) };
            match COLLAPSE.action(COLLAPSE.entry(c)) {
                Action::Compose(text) => tail.push_str(text),
                Action::Drop => {}
                Action::Keep
                | Action::Short(_)
                | Action::Long(_)
                | Action::Mark
                | Action::Special => break,
            }
            at += width;
        }
        let composed: String = tail.nfkc().collect();
        self.out.truncate(self.tail);
        self.out.push_text(&composed, self.text.len() - at);
        at
    }
}
