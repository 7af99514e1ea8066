//! From samples to notes.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

use super::{NOTES, Notes};
use crate::audio::SAMPLE_RATE_HZ;

/// Samples of a frame.
const FRAME: usize = 4096;
/// Samples from one frame to the next.
const STEP: usize = FRAME / 3;
const LOWEST_HZ: f64 = 28.0;
const HIGHEST_HZ: f64 = 3520.0;
/// The lowest A.
const A0_HZ: f64 = 27.5;

/// Measures the energy of each note, of all octaves together, in overlapping frames of a stream.
pub struct Chroma {
    transform: Arc<dyn RealToComplex<f64>>,
    /// Hamming window.
    window: Vec<f64>,
    /// The note of each frequency in [`bins`].
    notes: Vec<usize>,
    /// Samples of frames that are not complete.
    pending: Vec<f64>,
    frame: Vec<f64>,
    spectrum: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl Chroma {
    /// Starts an empty stream.
    pub fn new() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(FRAME);
        let angle = |at: usize| 2.0 * PI * at as f64 / (FRAME as f64 - 1.0);
        Self {
            window: (0..FRAME).map(|at| 0.54 - 0.46 * angle(at).cos()).collect(),
            notes: bins().map(note).collect(),
            pending: Vec::new(),
            frame: transform.make_input_vec(),
            spectrum: transform.make_output_vec(),
            scratch: transform.make_scratch_vec(),
            transform,
        }
    }

    /// Adds samples, and passes the notes of the frames that they complete to `receive`.
    pub fn push(&mut self, samples: &[i16], mut receive: impl FnMut(Notes)) {
        let scaled = samples.iter().map(|sample| f64::from(*sample) / f64::from(i16::MAX));
        self.pending.extend(scaled);
        let mut done = 0;
        while self.pending.len() - done >= FRAME {
            receive(self.measure(done));
            done += STEP;
        }
        self.pending.drain(..done);
    }

    /// The notes of the frame that starts at this sample.
    fn measure(&mut self, start: usize) -> Notes {
        let samples = &self.pending[start..start + FRAME];
        for ((value, sample), share) in self.frame.iter_mut().zip(samples).zip(&self.window) {
            *value = sample * share;
        }
        let Self { transform, frame, spectrum, scratch, .. } = self;
        transform
            .process_with_scratch(frame, spectrum, scratch)
            .expect("the buffers are those of the transform");
        let mut energies = [0.0; NOTES];
        for (value, note) in self.spectrum[bins()].iter().zip(&self.notes) {
            energies[*note] += value.norm_sqr();
        }
        energies
    }
}

/// Indices of the frequencies that are used, in the spectrum.
fn bins() -> Range<usize> {
    let bin = |hz: f64| (FRAME as f64 * hz / f64::from(SAMPLE_RATE_HZ)).round() as usize;
    bin(LOWEST_HZ)..bin(HIGHEST_HZ)
}

/// The note at or below the frequency; A is 0.
fn note(bin: usize) -> usize {
    let hz = bin as f64 * f64::from(SAMPLE_RATE_HZ) / FRAME as f64;
    let octaves = (hz / A0_HZ).log2();
    (NOTES as f64 * (octaves - octaves.floor())).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_loudest_in_its_note() {
        for (hz, expected) in [(453.0, 0), (227.0, 0), (480.0, 1), (855.0, 11), (269.0, 3)] {
            let turn = 2.0 * PI * hz / f64::from(SAMPLE_RATE_HZ);
            let samples: Vec<i16> =
                (0..FRAME).map(|at| (20_000.0 * (turn * at as f64).sin()) as i16).collect();
            let mut frames = Vec::new();
            Chroma::new().push(&samples, |notes| frames.push(notes));
            let [notes] = frames[..] else { panic!("{} frames", frames.len()) };
            let loudest = (0..NOTES).max_by(|a, b| notes[*a].total_cmp(&notes[*b]));
            assert_eq!(loudest, Some(expected), "{hz} Hz: {notes:?}");
        }
    }
}
