//! `text_clean` in one pass (ISO 24138): NFKC, no control characters but line breaks, at most one
//! empty line in a row, no whitespace around.
//!
//! Printable ASCII, most of many texts, is copied in runs. For the rest a table says what becomes
//! of each character; marks and the few characters that NFKC merges with what stands before them
//! are put through NFKC with the character they follow. Lines are settled as they end.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod lines;
mod portable;

use unicode_normalization::UnicodeNormalization;

use super::utf8::{self, Output};
use crate::simd::{InstructionSet, Level};
use crate::text::table::{Action, CLEAN};
use lines::Lines;

/// `text` for display.
pub fn clean_at(level: Level, text: &str) -> String {
    match level.set() {
        InstructionSet::Portable => clean_with(text, portable::printable_run),
        // Stores of 64 bytes were slower than of 32: the output is hardly ever aligned.
        // SAFETY: a level proves that this machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { avx2::clean(text) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => clean_with(text, portable::printable_run),
    }
}

/// The pass around an instruction set's `printable_run`, which copies the characters from space to
/// tilde at the start of its input and returns how many there are.
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

/// Is an ASCII character that stays: space to tilde?
#[inline(always)]
const fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

struct Pass<'a> {
    text: &'a str,
    out: Output,
    lines: Lines,
    /// Where the output of the last character starts that can still change by what follows it.
    tail: usize,
    /// That output is one starter alone, so a single mark after it stays where it is.
    tail_is_starter: bool,
}

impl<'a> Pass<'a> {
    fn new(text: &'a str) -> Self {
        let out = Output::for_input(text.len());
        Self { text, out, lines: Lines::new(), tail: 0, tail_is_starter: false }
    }

    /// The output ends with a starter of which the last character starts at `tail`.
    #[inline(always)]
    fn settled(&mut self, tail: usize) {
        self.tail = tail;
        self.tail_is_starter = true;
        self.lines.content();
    }

    /// Copies characters of two and three bytes as long as they stay what they are, as nearly all
    /// do; returns where to go on.
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

    /// Does what the table says to the character at `at`; returns where to go on.
    #[inline(always)]
    fn character(&mut self, at: usize) -> usize {
        // SAFETY: the pass moves by whole characters and has not reached the end.
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
            // What is dropped is dropped after NFKC: it parts what stands before and after it.
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

    /// Lets NFKC see the last character and all that may merge or change places after it.
    ///
    /// NFKC of a text that starts with NFKC is NFKC of the whole, so the output serves as input.
    fn compose(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut marks = 0;
        let mut only_marks = true;
        while at < self.text.len() {
            // SAFETY: the pass moves by whole characters and has not reached the end.
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
