//! From notes to items.

use std::array;
use std::collections::VecDeque;

use super::{NOTES, Notes};

/// Weights of a row and the four before it.
const SMOOTHING: [f64; 5] = [0.25, 0.75, 1.0, 0.75, 0.25];
/// Notes that are quieter together are silence.
const SILENCE: f64 = 0.01;
/// Rows that an item depends on, after smoothing.
const ROWS: usize = 16;

/// Computes the items of a stream of notes.
#[derive(Default)]
pub struct Items {
    /// The last rows before smoothing.
    rows: VecDeque<Notes>,
    sums: Sums,
    items: Vec<u32>,
}

impl Items {
    /// Adds the notes of the next frame.
    pub fn push(&mut self, notes: Notes) {
        self.rows.push_back(notes);
        if self.rows.len() < SMOOTHING.len() {
            return;
        }
        let smooth = array::from_fn(|note| {
            let products = self.rows.iter().zip(SMOOTHING).map(|(row, weight)| row[note] * weight);
            products.fold(0.0, |sum, product| sum + product)
        });
        self.rows.pop_front();
        self.sums.push(&normalized(smooth));
        if self.sums.rows.len() > ROWS {
            self.items.push(self.sums.item());
        }
    }

    /// All items.
    pub fn into_items(self) -> Vec<u32> {
        self.items
    }
}

/// The notes scaled to length 1, or zeros for silence.
fn normalized(notes: Notes) -> Notes {
    let norm = notes.iter().fold(0.0, |sum, note| sum + note.powi(2)).sqrt();
    if norm < SILENCE { [0.0; NOTES] } else { notes.map(|note| note / norm) }
}

/// Sums of all values of notes below, in all rows up to one: the sum of a rectangle needs only those
/// at its corners.
struct Sums {
    /// Those of the row before the last [`ROWS`] rows, and of these.
    rows: VecDeque<[f64; NOTES + 1]>,
}

impl Default for Sums {
    fn default() -> Self {
        Self { rows: VecDeque::from([[0.0; NOTES + 1]]) }
    }
}

impl Sums {
    fn push(&mut self, notes: &Notes) {
        let mut row = [0.0; NOTES + 1];
        let mut sum = 0.0;
        for (at, note) in (1..).zip(notes) {
            sum += note;
            row[at] = sum;
        }
        if let Some(before) = self.rows.back() {
            row.iter_mut().zip(before).for_each(|(sum, before)| *sum += before);
        }
        self.rows.push_back(row);
        if self.rows.len() > ROWS + 1 {
            self.rows.pop_front();
        }
    }

    /// The item of the last [`ROWS`] rows.
    fn item(&self) -> u32 {
        const GRAY_CODE: [u32; 4] = [0, 1, 3, 2];
        CLASSIFIERS.iter().fold(0, |item, classifier| {
            let difference = classifier.difference(self);
            let level = classifier.levels.iter().filter(|level| difference >= **level).count();
            item << 2 | GRAY_CODE[level]
        })
    }

    /// The sum of the notes and rows. (Operations in this order, because rounding decides bits.)
    fn area(&self, [first_row, end_row]: [usize; 2], [first_note, end_note]: [usize; 2]) -> f64 {
        let (before, last) = (&self.rows[first_row], &self.rows[end_row]);
        last[end_note] - before[end_note] - last[first_note] + before[first_note]
    }
}

/// Which parts of a rectangle are compared with the others.
#[derive(Clone, Copy)]
enum Parts {
    /// All of it, with nothing.
    All,
    /// The upper half of the notes.
    UpperNotes,
    /// The later half of the rows.
    LaterRows,
    /// Upper notes of earlier rows and lower notes of later rows.
    Quarters,
    /// The middle third of the notes.
    MiddleNotes,
    /// The middle third of the rows.
    MiddleRows,
}

/// Two bits of an item: how the loudness of two parts of a rectangle differs.
struct Classifier {
    parts: Parts,
    first_note: usize,
    notes: usize,
    rows: usize,
    /// Differences at which the next value starts.
    levels: [f64; 3],
}

impl Classifier {
    fn difference(&self, sums: &Sums) -> f64 {
        let Self { parts, first_note, notes, rows, .. } = *self;
        let end_note = first_note + notes;
        let area = |rows: [usize; 2], notes: [usize; 2]| sums.area(rows, notes);
        let (part, other) = match parts {
            Parts::All => (area([0, rows], [first_note, end_note]), 0.0),
            Parts::UpperNotes => {
                let middle = first_note + notes / 2;
                (area([0, rows], [middle, end_note]), area([0, rows], [first_note, middle]))
            }
            Parts::LaterRows => {
                let (all, middle) = ([first_note, end_note], rows / 2);
                (area([middle, rows], all), area([0, middle], all))
            }
            Parts::Quarters => {
                let (earlier, later) = ([0, rows / 2], [rows / 2, rows]);
                let middle = first_note + notes / 2;
                let (lower, upper) = ([first_note, middle], [middle, end_note]);
                (
                    area(earlier, upper) + area(later, lower),
                    area(earlier, lower) + area(later, upper),
                )
            }
            Parts::MiddleNotes => {
                let (first, end) = (first_note + notes / 3, first_note + notes / 3 * 2);
                let all = [0, rows];
                (
                    area(all, [first, end]),
                    area(all, [first_note, first]) + area(all, [end, end_note]),
                )
            }
            Parts::MiddleRows => {
                let (first, end) = (rows / 3, rows / 3 * 2);
                let all = [first_note, end_note];
                (area([first, end], all), area([0, first], all) + area([end, rows], all))
            }
        };
        ((1.0 + part) / (1.0 + other)).ln()
    }
}

const fn classifier(
    parts: Parts,
    first_note: usize,
    notes: usize,
    rows: usize,
    levels: [f64; 3],
) -> Classifier {
    Classifier { parts, first_note, notes, rows, levels }
}

/// The classifiers of TEST2, highest bits first.
const CLASSIFIERS: [Classifier; 16] = [
    classifier(Parts::All, 4, 3, 15, [1.98215, 2.35817, 2.63523]),
    classifier(Parts::MiddleNotes, 4, 6, 15, [-1.03809, -0.651211, -0.282167]),
    classifier(Parts::UpperNotes, 0, 4, 16, [-0.298702, 0.119262, 0.558497]),
    classifier(Parts::Quarters, 8, 2, 12, [-0.105439, 0.0153946, 0.135898]),
    classifier(Parts::Quarters, 4, 4, 8, [-0.142891, 0.0258736, 0.200632]),
    classifier(Parts::MiddleNotes, 0, 3, 5, [-0.826319, -0.590612, -0.368214]),
    classifier(Parts::UpperNotes, 2, 2, 9, [-0.557409, -0.233035, 0.0534525]),
    classifier(Parts::LaterRows, 7, 3, 4, [-0.0646826, 0.00620476, 0.0784847]),
    classifier(Parts::LaterRows, 6, 2, 16, [-0.192387, -0.029699, 0.215855]),
    classifier(Parts::LaterRows, 1, 3, 2, [-0.0397818, -0.00568076, 0.0292026]),
    classifier(Parts::MiddleRows, 10, 1, 15, [-0.53823, -0.369934, -0.190235]),
    classifier(Parts::Quarters, 6, 2, 10, [-0.124877, 0.0296483, 0.139239]),
    classifier(Parts::LaterRows, 1, 1, 14, [-0.101475, 0.0225617, 0.231971]),
    classifier(Parts::Quarters, 5, 6, 4, [-0.0799915, -0.00729616, 0.063262]),
    classifier(Parts::UpperNotes, 9, 2, 12, [-0.272556, 0.019424, 0.302559]),
    classifier(Parts::Quarters, 4, 2, 14, [-0.164292, -0.0321188, 0.0846339]),
];
