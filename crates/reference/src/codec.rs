//! Slow codec: headers and bodies are strings of `0` and `1`; base32 splits them into groups.

use std::fmt::Write;

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Fields of a unit: MainType, SubType, version, length field, body in bits.
pub type Fields = (u32, u32, u32, u32, String);

/// A header number in bits. The number of leading ones gives the number of nibbles.
///
/// # Panics
/// If `value` is above 4679, the largest varnibble.
pub fn varnibble(value: u32) -> String {
    match value {
        0..8 => format!("{value:04b}"),
        8..72 => format!("10{:06b}", value - 8),
        72..584 => format!("110{:09b}", value - 72),
        584..4680 => format!("1110{:012b}", value - 584),
        _ => panic!("{value} is not a header field"),
    }
}

/// Header and body in bits. Zeros after the header complete its last byte.
pub fn unit_bits(fields: &Fields) -> String {
    let (main, sub, version, length, body) = fields;
    let header: String = [main, sub, version, length].map(|&field| varnibble(field)).concat();
    let fill = if header.len().is_multiple_of(8) { "" } else { "0000" };
    format!("{header}{fill}{body}")
}

/// Base32 of bits without `=`: five bits per character; zeros complete the last one.
pub fn base32(bits: &str) -> String {
    let bits: Vec<char> = bits.chars().collect();
    let digit = |group: &[char]| {
        let group: String = group.iter().collect();
        let value = usize::from_str_radix(&format!("{group:0<5}"), 2).expect("bits");
        ALPHABET.as_bytes()[value] as char
    };
    bits.chunks(5).map(digit).collect()
}

/// The bits of canonical base32; `None` for text that the encoder never writes.
pub fn bits_of_base32(text: &str) -> Option<String> {
    let mut bits = String::new();
    for character in text.chars() {
        let value = ALPHABET.find(character)?;
        write!(bits, "{value:05b}").expect("writing to a string succeeds");
    }
    let kept = bits.len() / 8 * 8;
    let fill = &bits[kept..];
    // Five or more padding bits would be a superfluous character.
    let canonical = fill.len() < 5 && !fill.contains('1');
    canonical.then(|| bits[..kept].to_owned())
}

/// Fields of the unit in `text`. `None` unless the text is canonical, the MainType is neither ISCC
/// (5) nor ID (6), and the body has the length that the header states.
pub fn decode_unit(text: &str) -> Option<Fields> {
    let bits = bits_of_base32(text)?;
    let mut rest = bits.as_str();
    let [main, sub, version, length] =
        [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
    let names = match main {
        0 | 3 | 4 | 7 => 1,
        1 | 2 => 5,
        _ => return None,
    };
    let valid = sub < names && version == 0 && length < 8;
    let complete = rest.len() == 32 * (length as usize + 1);
    (valid && complete).then(|| (main, sub, version, length, rest.to_owned()))
}

/// Removes a varnibble from the start of the bits.
fn take(bits: &mut &str) -> Option<u32> {
    let prefixes = [("0", 3, 0), ("10", 6, 8), ("110", 9, 72), ("1110", 12, 584)];
    let (prefix, width, base) =
        prefixes.into_iter().find(|(prefix, _, _)| bits.starts_with(prefix))?;
    let value = bits.get(prefix.len()..prefix.len() + width)?;
    *bits = &bits[prefix.len() + width..];
    Some(u32::from_str_radix(value, 2).ok()? + base)
}

/// Bytes in bits.
pub fn bits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:08b}")).collect()
}

/// Text of the ISCC-CODE of these units, given as fields and sorted by MainType, with Data and
/// Instance last. `None` if they cannot be combined.
pub fn compose(units: &[Fields], wide: bool) -> Option<String> {
    let [optional @ .., data, instance] = units else { return None };
    if (data.0, instance.0) != (3, 4) || units.iter().any(|unit| unit.4.len() < 64) {
        return None;
    }
    let mains: Vec<u32> = optional.iter().map(|unit| unit.0).collect();
    let combinations: [&[u32]; 8] = [&[], &[2], &[1], &[1, 2], &[0], &[0, 2], &[0, 1], &[0, 1, 2]];
    let mask = combinations.iter().position(|&combination| combination == mains)? as u32;
    let long = data.4.len() >= 128 && instance.4.len() >= 128;
    if wide && mask == 0 && long {
        let body = format!("{}{}", &data.4[..128], &instance.4[..128]);
        return Some(base32(&unit_bits(&(5, 7, 0, 0, body))));
    }
    let modes: Vec<u32> = optional.iter().filter(|unit| unit.0 != 0).map(|unit| unit.1).collect();
    let sub = match modes[..] {
        [] if mask == 0 => 5,
        [] => 6,
        [mode] => mode,
        [semantic, content] if semantic == content => semantic,
        _ => return None,
    };
    let body: String = units.iter().map(|unit| &unit.4[..64]).collect();
    Some(base32(&unit_bits(&(5, sub, 0, mask, body))))
}
