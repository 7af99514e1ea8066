//! Compresses one block that is a whole message, for any kind of lanes.

const IV: [u32; 8] = [
    0x6A09_E667,
    0xBB67_AE85,
    0x3C6E_F372,
    0xA54F_F53A,
    0x510E_527F,
    0x9B05_688C,
    0x1F83_D9AB,
    0x5BE0_CD19,
];

/// CHUNK_START, CHUNK_END and ROOT: the block is the only one of the only chunk.
const FLAGS: u32 = 1 | 2 | 8;

/// Words of a short message; the other words of the block are zero.
const WORDS: usize = 4;

/// Index of the message word that each step of each round adds.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut i = 0;
    while i < 16 {
        schedule[0][i] = i;
        i += 1;
    }
    let mut round = 1;
    while round < 7 {
        let mut i = 0;
        while i < 16 {
            schedule[round][i] = schedule[round - 1][PERMUTATION[i]];
            i += 1;
        }
        round += 1;
    }
    schedule
};

/// State words of the eight mixing steps of a round: columns, then diagonals.
const MIXED: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// The eight words of the hashes of messages of `WORDS` words, one message per lane.
///
/// `rotate` rotates lanes to the right by 16, 12, 8 or 7 bits.
#[inline(always)]
pub(super) fn compress<V: Copy>(
    words: [V; WORDS],
    lengths: V,
    all: impl Fn(u32) -> V,
    add: impl Fn(V, V) -> V,
    xor: impl Fn(V, V) -> V,
    rotate: impl Fn(V, u32) -> V,
) -> [V; 8] {
    let start = IV.map(&all);
    let mut state = [
        start[0],
        start[1],
        start[2],
        start[3],
        start[4],
        start[5],
        start[6],
        start[7],
        start[0],
        start[1],
        start[2],
        start[3],
        all(0),
        all(0),
        lengths,
        all(FLAGS),
    ];
    // Macros instead of closures: a closure could become a separate function, which would be
    // compiled without the caller's instruction set.
    macro_rules! half {
        ($step:literal, $word:expr, $turns:expr) => {
            let ([a, b, c, d], word, turns) = const { (MIXED[$step], $word, $turns) };
            state[a] = add(state[a], state[b]);
            if word < WORDS {
                state[a] = add(state[a], words[word]);
            }
            state[d] = rotate(xor(state[d], state[a]), turns[0]);
            state[c] = add(state[c], state[d]);
            state[b] = rotate(xor(state[b], state[c]), turns[1]);
        };
    }
    macro_rules! round {
        ($round:literal: $($step:literal)*) => { $(
            half!($step, SCHEDULE[$round][2 * $step], [16u32, 12u32]);
            half!($step, SCHEDULE[$round][2 * $step + 1], [8u32, 7u32]);
        )* };
    }
    round!(0: 0 1 2 3 4 5 6 7);
    round!(1: 0 1 2 3 4 5 6 7);
    round!(2: 0 1 2 3 4 5 6 7);
    round!(3: 0 1 2 3 4 5 6 7);
    round!(4: 0 1 2 3 4 5 6 7);
    round!(5: 0 1 2 3 4 5 6 7);
    round!(6: 0 1 2 3 4 5 6 7);
    std::array::from_fn(|i| xor(state[i], state[i + 8]))
}
