//! `text_clean` in one pass (ISO 24138): NFKC, no control characters other than line breaks, at
//! most one consecutive empty line, trimmed.
//!
//! Runs of printable ASCII, which most texts consist of, are copied. For other characters a table
//! has the action. Marks, and the few characters that NFKC merges with preceding ones, go through
//! NFKC together with the character before them. Lines are completed at their end.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod lines;
mod portable;

use unicode_normalization::UnicodeNormalization;

use super::utf8::{self, Output};
use crate::kernels::table::{Action, CLEAN};
use crate::simd::{InstructionSet, Level};
use lines::Lines;

/// Normalises `text` for display.
pub fn clean_at(level: Level, text: &str) -> String {
    match level.set() {
        InstructionSet::Portable => clean_with(text, portable::printable_run),
        // 64-byte stores were slower than 32-byte stores, because the output is rarely aligned.
        // SAFETY: a level proves that this machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { avx2::clean(text) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => clean_with(text, portable::printable_run),
    }
}

/// The pass, for an instruction set's `printable_run`. That function copies the characters from
/// space to tilde at the start of its input and returns their number.
#[inline(always)]
fn clean_with(text: &str, printable_run: impl Fn(&[u8], &mut Output) -> usize) -> String {
    let bytes = text.as_bytes();
    let mut pass = Pass::new(text);
    let mut at = 0;
    while at < bytes.len() {
        let run = printable_run(&bytes[at..], &mut pass.out);
        if run > 0 {
            pass.settled(pass.out.len() - 1);
            at += run;
        }
        at = pass.kept_run(at);
        while at < bytes.len() && !is_printable(bytes[at]) {
            at = pass.character(at);
            at = pass.kept_run(at);
        }
    }
    pass.finish()
}

/// Whether the byte is an ASCII character from space to tilde.
#[inline(always)]
const fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

struct Pass<'a> {
    text: &'a str,
    out: Output,
    lines: Lines,
    /// Start of the output of the last character that later ones can still change.
    tail: usize,
    /// Whether that output is a single starter, so that a single mark after it stays in place.
    tail_is_starter: bool,
}

impl<'a> Pass<'a> {
    fn new(text: &'a str) -> Self {
        let out = Output::for_input(text.len());
        Self { text, out, lines: Lines::new(), tail: 0, tail_is_starter: false }
    }

    /// Records that the output ends with a starter whose character starts at `tail`.
    #[inline(always)]
    fn settled(&mut self, tail: usize) {
        self.tail = tail;
        self.tail_is_starter = true;
        self.lines.content();
    }

    /// Copies characters of two and three bytes while their action is to keep them, as for nearly
    /// all; returns the next position.
    #[inline(always)]
    fn kept_run(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        let mut last = 0;
        while let Some(&word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            let Some((c, kept)) = utf8::decode_two_or_three(word) else { break };
            if !CLEAN.entry(c).is_keep() {
                break;
            }
            self.out.push_short(kept);
            at += kept.len;
            last = kept.len;
        }
        if at > start {
            self.settled(self.out.len() - last);
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
        match CLEAN.action(CLEAN.entry(c)) {
            Action::Keep => {
                let start = self.out.len();
                self.out.push_text(&self.text[at..after], left);
                self.settled(start);
            }
            Action::Short(text) => {
                let start = self.out.len();
                self.out.push_short(text);
                self.settled(start);
                self.tail_is_starter = false;
            }
            Action::Long(text) => {
                let start = self.out.len();
                self.out.push_text(text, left);
                self.settled(start);
                self.tail_is_starter = false;
            }
            // The definition removes characters after NFKC, so this one separates its neighbours.
            Action::Drop => self.tail = self.out.len(),
            Action::Special => {
                self.lines.end(c, &mut self.out);
                self.tail = self.out.len();
            }
            Action::Mark | Action::Compose(_) => return self.compose(at),
        }
        if self.tail == self.out.len() {
            self.tail_is_starter = false;
        }
        after
    }

    /// Applies NFKC to the last character and all following ones that may merge or swap.
    ///
    /// NFKC of a text that starts with NFKC is NFKC of the whole, so the output serves as input.
    fn compose(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut marks = 0;
        let mut only_marks = true;
        while at < self.text.len() {
            // SAFETY: the pass advances by whole characters and is before the end.
            let (c, width) = unsafe { utf8::decode(self.text, at) };
            match CLEAN.action(CLEAN.entry(c)) {
                Action::Mark => marks += 1,
                Action::Compose(_) => only_marks = false,
                Action::Keep
                | Action::Drop
                | Action::Short(_)
                | Action::Long(_)
                | Action::Special => break,
            }
            at += width;
        }
        let run = &self.text[start..at];
        let left = self.text.len() - at;
        if only_marks && marks == 1 && self.tail_is_starter {
            self.out.push_text(run, left);
        } else {
            let tail = self.out.text_from(self.tail);
            let composed: String = tail.chars().chain(run.chars()).nfkc().collect();
            self.out.truncate(self.tail);
            self.out.push_text(&composed, left);
        }
        self.tail_is_starter = false;
        self.lines.content();
        at
    }

    fn finish(mut self) -> String {
        self.lines.finish(&mut self.out);
        let mut text = self.out.into_string();
        text.truncate(text.trim_end().len());
        let leading = text.len() - text.trim_start().len();
        text.drain(..leading);
        text
    }
}
