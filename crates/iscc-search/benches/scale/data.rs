//! Rows and queries of large indexes.

use iscc_columns::column::Body;
use iscc_columns::scan::WORDS_MAX;

/// Words of a body; the first bit is the highest.
pub type Row = [u64; WORDS_MAX];

/// Dimensions of the points that semantic codes are made of.
const DIMENSIONS: usize = 24;
const TOPICS: usize = 2000;

/// A deterministic generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    pub fn row(&mut self, words: usize) -> Row {
        std::array::from_fn(|word| if word < words { self.next() } else { 0 })
    }

    pub fn flip(&mut self, row: &mut Row, words: usize, flips: u64) {
        for _ in 0..flips {
            let bit = self.below(words as u64 * 64) as usize;
            row[bit / 64] ^= 1 << (bit % 64);
        }
    }
}

pub fn body(row: &Row, words: usize) -> Body {
    Body::from_words(*row, words as u16 * 64)
}

/// Big-endian bytes of a row.
pub fn bytes(row: &Row) -> [u8; WORDS_MAX * 8] {
    let mut bytes = [0; WORDS_MAX * 8];
    for (target, word) in bytes.chunks_exact_mut(8).zip(row) {
        target.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// Families of ten around a centre: five near it and five far. Of a thousand rows, `featureless` have few ones, all in
/// the first word.
pub fn families(count: usize, words: usize, featureless: u64) -> Vec<Row> {
    let mut random = Random(1);
    let (near, far) = (1 + 3 * words as u64, 1 + 16 * words as u64);
    let mut centre = Row::default();
    (0..count)
        .map(|number| {
            if number % 10 == 0 {
                centre = random.row(words);
            }
            let mut row = centre;
            let flips = random.below(if number % 10 < 5 { near } else { far });
            random.flip(&mut row, words, flips);
            if random.below(1000) < featureless {
                row = Row::default();
                for _ in 0..=random.below(6) {
                    row[0] |= 1 << random.below(64);
                }
            }
            row
        })
        .collect()
}

/// Codes as semantic models make them: signs of random projections of points around topics.
pub fn semantic(count: usize, words: usize) -> Vec<Row> {
    let mut random = Random(1);
    let mut normal =
        || (0..4).map(|_| (random.next() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>();
    let mut point = || -> [f32; DIMENSIONS] { std::array::from_fn(|_| normal()) };
    let planes: Vec<_> = (0..64 * words).map(|_| point()).collect();
    let topics: Vec<_> = (0..TOPICS).map(|_| point()).collect();
    let noises: Vec<_> = (0..count).map(|_| point()).collect();
    let mut choice = Random(2);
    let row = |noise: &[f32; DIMENSIONS]| {
        let topic = &topics[choice.below(TOPICS as u64) as usize];
        let mut row = Row::default();
        for (bit, plane) in planes.iter().enumerate() {
            let at = |index: usize| plane[index] * (topic[index] + 0.6 * noise[index]);
            if (0..DIMENSIONS).map(at).sum::<f32>() > 0.0 {
                row[bit / 64] |= 1 << (63 - bit % 64);
            }
        }
        row
    };
    noises.iter().map(row).collect()
}

/// Rows that share many parts of 16 bits with a victim, which the queries are near.
pub fn adversary(count: usize, words: usize) -> Vec<Row> {
    let mut random = Random(3);
    let victim = random.row(words);
    (0..count)
        .map(|number| {
            let mut row = random.row(words);
            if number == 0 {
                return victim;
            }
            for part in 0..words * 4 {
                if random.below(2) == 0 {
                    let mask = 0xffff << (part % 4 * 16);
                    row[part / 4] = row[part / 4] & !mask | victim[part / 4] & mask;
                }
            }
            row
        })
        .collect()
}

/// Every other query is near a row, the others are near none.
pub fn queries(rows: &[Row], words: usize, count: usize) -> Vec<Row> {
    let mut random = Random(4);
    (0..count)
        .map(|number| {
            if number % 2 == 1 {
                return random.row(words);
            }
            let mut row = rows[random.below(rows.len() as u64) as usize];
            let flips = random.below(1 + 2 * words as u64);
            random.flip(&mut row, words, flips);
            row
        })
        .collect()
}

/// Queries near one row.
pub fn near(row: &Row, words: usize, count: usize) -> Vec<Row> {
    let mut random = Random(5);
    (0..count)
        .map(|number| {
            let mut query = *row;
            random.flip(&mut query, words, number as u64 / 4);
            query
        })
        .collect()
}
