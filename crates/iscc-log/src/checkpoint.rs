//! Signed tree heads (C2SP tlog-checkpoint, signed-note 1.0).

use data_encoding::BASE64;

use crate::key::PublicKey;
use crate::signature::Unverified;
use crate::tree::{self, Hash};

/// Longest note, in bytes.
pub const CHECKPOINT_BYTES_MAX: usize = 131_072;
/// Largest tree size: integers are exact in JavaScript up to here.
pub const TREE_SIZE_MAX: u64 = (1 << 53) - 1;
const SIZE_DIGITS_MAX: usize = 16;
const SIGNATURES_MAX: usize = 100;
/// Key id and at least one byte of signature.
const SIGNATURE_BYTES_MIN: usize = 5;
const KEY_ID_BYTES: usize = 4;
/// Starts every signature line: an em dash and a space.
const SIGNATURE_MARK: &str = "\u{2014} ";

/// A tree head that a trusted key signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Number of entries.
    pub size: u64,
    /// Head of the tree.
    pub root: Hash,
    /// The trusted key that signed; the first one in the note.
    pub key: PublicKey,
}

/// Why a checkpoint is refused. The first rule that fails decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a note in canonical form.
    Form,
    /// It is of another log.
    Origin,
    /// A signature of a trusted key is wrong.
    Signature,
    /// No trusted key signed it.
    Unsigned,
}

impl Refusal {
    /// The reason as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Origin => "origin",
            Self::Signature => "signature",
            Self::Unsigned => "unsigned",
        }
    }
}

/// A note in canonical form, not yet verified.
struct Note<'a> {
    /// The signed bytes, with the newline of the last text line.
    signed: &'a str,
    origin: &'a str,
    size: u64,
    root: Hash,
    signatures: Vec<SignatureLine<'a>>,
}

struct SignatureLine<'a> {
    name: &'a str,
    key_id: [u8; KEY_ID_BYTES],
    signature: Vec<u8>,
}

/// Verifies a checkpoint of the log `origin` against the keys that are trusted for it.
pub fn judge(note: &[u8], origin: &str, keys: &[PublicKey]) -> Result<Checkpoint, Refusal> {
    let note = parse(note).ok_or(Refusal::Form)?;
    if note.origin != origin {
        return Err(Refusal::Origin);
    }
    let mut signer = None;
    for line in note.signatures.iter().filter(|line| line.name == origin) {
        for key in keys.iter().filter(|key| key.id(origin) == line.key_id) {
            if !verifies(key, note.signed, &line.signature) {
                return Err(Refusal::Signature);
            }
            signer.get_or_insert(*key);
        }
    }
    let key = signer.ok_or(Refusal::Unsigned)?;
    Ok(Checkpoint { size: note.size, root: note.root, key })
}

/// The text of a checkpoint, which its log signs.
pub fn text(origin: &str, size: u64, root: &Hash) -> String {
    format!("{origin}\n{size}\n{}\n", BASE64.encode(root))
}

/// The note of a text of [`text`] and its signature by `key`.
pub fn signed(text: &str, origin: &str, key: &PublicKey, signature: &[u8]) -> String {
    let bytes = [&key.id(origin)[..], signature].concat();
    format!("{text}\n{SIGNATURE_MARK}{origin} {}\n", BASE64.encode(&bytes))
}

fn verifies(key: &PublicKey, signed: &str, signature: &[u8]) -> bool {
    Unverified::new(*key, signature, signed.as_bytes()).is_some_and(|signature| signature.verify())
}

fn parse(note: &[u8]) -> Option<Note<'_>> {
    if note.len() > CHECKPOINT_BYTES_MAX || note.iter().any(|&byte| byte < 0x20 && byte != b'\n') {
        return None;
    }
    let text = std::str::from_utf8(note).ok().filter(|text| !text.starts_with('\u{feff}'))?;
    let blank = text.rfind("\n\n")?;
    let (signed, signatures) = (&text[..=blank], &text[blank + 2..]);
    let mut lines = signed.strip_suffix('\n')?.split('\n');
    let (origin, size, root) = (lines.next()?, size(lines.next()?)?, root(lines.next()?)?);
    if origin.is_empty() || lines.any(str::is_empty) || (size == 0 && root != tree::empty()) {
        return None;
    }
    let signatures = signatures.strip_suffix('\n')?.split('\n');
    let signatures: Vec<_> = signatures.map(signature_line).collect::<Option<_>>()?;
    (signatures.len() <= SIGNATURES_MAX).then_some(Note { signed, origin, size, root, signatures })
}

/// `0`, or digits without a leading zero, up to [`TREE_SIZE_MAX`].
fn size(text: &str) -> Option<u64> {
    let is_canonical = text == "0" || !text.starts_with('0');
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_canonical || !is_digits || text.len() > SIZE_DIGITS_MAX {
        return None;
    }
    text.parse().ok().filter(|&size| size <= TREE_SIZE_MAX)
}

fn root(text: &str) -> Option<Hash> {
    BASE64.decode(text.as_bytes()).ok()?.try_into().ok()
}

fn signature_line(line: &str) -> Option<SignatureLine<'_>> {
    let (name, encoded) = line.strip_prefix(SIGNATURE_MARK)?.split_once(' ')?;
    if name.is_empty() || name.contains('+') || name.contains(char::is_whitespace) {
        return None;
    }
    let bytes = BASE64.decode(encoded.as_bytes()).ok()?;
    let (key_id, signature) = bytes.split_first_chunk::<KEY_ID_BYTES>()?;
    (bytes.len() >= SIGNATURE_BYTES_MIN).then(|| SignatureLine {
        name,
        key_id: *key_id,
        signature: signature.to_vec(),
    })
}
