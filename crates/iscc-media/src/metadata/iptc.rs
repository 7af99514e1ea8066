//! IPTC-IIM datasets of the application record (IIM 4.2, 1.6 and 6).

use super::exif::text;

/// Datasets of record 2 that this crate reads.
pub mod dataset {
    /// Object Name
    pub const OBJECT_NAME: u8 = 5;
    /// Keywords
    pub const KEYWORDS: u8 = 25;
    /// By-line
    pub const BYLINE: u8 = 80;
    /// By-line Title
    pub const BYLINE_TITLE: u8 = 85;
    /// Headline
    pub const HEADLINE: u8 = 105;
    /// Credit
    pub const CREDIT: u8 = 110;
    /// Language Identifier
    pub const LANGUAGE: u8 = 135;
}

/// The value of a dataset of record 2. If the dataset is repeated, its last value, as in the
/// reference.
pub fn value(iptc: &[u8], dataset: u8) -> Option<String> {
    const APPLICATION_RECORD: u8 = 2;
    datasets(iptc)
        .filter(|found| found.record == APPLICATION_RECORD && found.dataset == dataset)
        .last()
        .map(|found| text(found.value))
}

/// All values of a repeatable dataset of record 2, joined with `, `.
pub fn values(iptc: &[u8], dataset: u8) -> Option<String> {
    const APPLICATION_RECORD: u8 = 2;
    let found = datasets(iptc)
        .filter(|found| found.record == APPLICATION_RECORD && found.dataset == dataset)
        .map(|found| text(found.value));
    Some(found.collect::<Vec<_>>().join(", ")).filter(|joined| !joined.is_empty())
}

struct Dataset<'a> {
    record: u8,
    dataset: u8,
    value: &'a [u8],
}

/// The datasets in order, up to the first invalid one.
fn datasets(iptc: &[u8]) -> impl Iterator<Item = Dataset<'_>> {
    const TAG_MARKER: u8 = 0x1c;
    const EXTENDED: u16 = 0x8000;
    let mut rest = iptc;
    std::iter::from_fn(move || {
        let (&[marker, record, dataset, high, low], after) = rest.split_first_chunk()?;
        let length = u16::from_be_bytes([high, low]);
        if marker != TAG_MARKER || length & EXTENDED != 0 {
            return None;
        }
        let (value, after) = after.split_at_checked(usize::from(length))?;
        rest = after;
        Some(Dataset { record, dataset, value })
    })
}

/// The IPTC resource (number 0x0404) in a list of Photoshop image resources (`8BIM`).
pub fn in_photoshop_resources(resources: &[u8]) -> Option<&[u8]> {
    const IPTC_RESOURCE: u16 = 0x0404;
    let mut iptc = resource(resources, IPTC_RESOURCE)?;
    // Some programs put a list of resources into the resource.
    while let Some(inner) = resource(iptc, IPTC_RESOURCE) {
        iptc = inner;
    }
    Some(iptc)
}

/// The Photoshop image resource with the given number.
pub fn resource(resources: &[u8], number: u16) -> Option<&[u8]> {
    let mut rest = resources;
    loop {
        let (signature, after) = rest.split_first_chunk::<4>()?;
        if !matches!(signature, b"8BIM" | b"AgHg" | b"DCSR" | b"PHUT") {
            return None;
        }
        let (id, after) = after.split_first_chunk()?;
        let name_length = usize::from(*after.first()?);
        let after = after.get((1 + name_length).next_multiple_of(2)..)?;
        let (length, after) = after.split_first_chunk()?;
        let length = u32::from_be_bytes(*length) as usize;
        let data = after.get(..length)?;
        if u16::from_be_bytes(*id) == number {
            return Some(data);
        }
        rest = after.get(length.next_multiple_of(2)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_datasets_and_finds_them_in_resources() {
        let iptc = b"\x1c\x02\x50\0\x03One\x1c\x02\x50\0\x04J\xfcrg\x1c\x02\x69\0\x05Title";
        assert_eq!(value(iptc, dataset::BYLINE).unwrap(), "Jürg");
        assert_eq!(value(iptc, dataset::HEADLINE).unwrap(), "Title");
        assert_eq!(value(iptc, dataset::LANGUAGE), None);
        assert_eq!(value(&iptc[..iptc.len() - 1], dataset::HEADLINE), None);

        let mut resources = b"8BIM\x03\xed\0\0\0\0\0\x01x\0".to_vec();
        resources.extend(b"8BIM\x04\x04\x03abc\0\0\0");
        resources.push(iptc.len() as u8);
        resources.extend(iptc);
        assert_eq!(in_photoshop_resources(&resources), Some(&iptc[..]));
        assert_eq!(in_photoshop_resources(&resources[..20]), None);

        let mut nested = b"8BIM\x04\x04\0\0\0\0\0".to_vec();
        nested.push(resources.len() as u8);
        nested.extend(&resources);
        assert_eq!(in_photoshop_resources(&nested), Some(&iptc[..]));
    }
}
