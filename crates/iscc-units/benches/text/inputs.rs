//! Texts of a given size, generated from a fixed seed.

/// Kinds of text that the kernels process differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// English: ASCII.
    English,
    /// English with typographic quotes and dashes, and a few accents.
    Typographic,
    /// European: one letter in six has an accent.
    Accented,
    /// Ideographs, with kana and punctuation.
    Cjk,
    /// Cyrillic: letters of two bytes, spaces and digits of one.
    Cyrillic,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Typographic => "typographic",
            Self::Accented => "accented",
            Self::Cjk => "CJK",
            Self::Cyrillic => "Cyrillic",
        }
    }
}

/// A text of `kind` of about `bytes` bytes, with lines and paragraphs.
pub fn text(kind: Kind, bytes: usize) -> String {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut text = String::with_capacity(bytes + 64);
    let mut line = 0;
    while text.len() < bytes {
        let before = text.len();
        if kind == Kind::Cjk {
            cjk_clause(&mut random, &mut text)
        } else {
            words(kind, &mut random, &mut text)
        }
        line += text.len() - before;
        if line > 400 {
            text.push_str(if random.below(5) == 0 { "\n\n" } else { "\n" });
            line = 0;
        }
    }
    text
}

fn words(kind: Kind, random: &mut Random, text: &mut String) {
    for word in 0..4 + random.below(12) {
        if word > 0 {
            text.push(' ');
        }
        let quoted = kind == Kind::Typographic && random.below(20) == 0;
        text.push_str(if quoted { "“" } else { "" });
        for letter in 0..2 + random.below(8) {
            text.push(self::letter(kind, random, word == 0 && letter == 0));
        }
        text.push_str(if quoted { "”" } else { "" });
        if random.below(9) == 0 {
            text.push(',');
        }
        if random.below(40) == 0 {
            text.push_str(if kind == Kind::English { " 1984 -" } else { " 1984 –" });
        }
    }
    text.push_str(". ");
}

fn letter(kind: Kind, random: &mut Random, capital: bool) -> char {
    const COMMON: &[u8] = b"etaoinshrdlucmfwygpbvkxqjz";
    const ACCENTED: [char; 16] =
        ['é', 'è', 'ä', 'ö', 'ü', 'ß', 'ç', 'ñ', 'å', 'ø', 'ě', 'š', 'ł', 'ő', 'à', 'ê'];
    let accents = match kind {
        Kind::Typographic => 200,
        Kind::Accented => 6,
        Kind::English | Kind::Cjk | Kind::Cyrillic => u32::MAX,
    };
    if random.below(accents) == 0 {
        return ACCENTED[random.below(16) as usize];
    }
    if kind == Kind::Cyrillic {
        let first = if capital { 'А' } else { 'а' };
        return char::from_u32(first as u32 + random.below(32)).expect("a letter");
    }
    let letter = char::from(COMMON[random.below(26).min(random.below(26)) as usize]);
    if capital { letter.to_ascii_uppercase() } else { letter }
}

fn cjk_clause(random: &mut Random, text: &mut String) {
    for _ in 0..6 + random.below(20) {
        let (first, count) = if random.below(4) == 0 { (0x3042, 80) } else { (0x4E00, 6000) };
        text.push(char::from_u32(first + random.below(count)).expect("assigned"));
    }
    text.push(if random.below(3) == 0 { '。' } else { '、' });
}

/// xorshift64 (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }
}
