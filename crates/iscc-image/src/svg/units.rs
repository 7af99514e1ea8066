//! Converts the size of a document from physical units to whole pixels before layout, as the
//! reference does. Rendering at 188 pixels differs from rendering at 188.98 and scaling down.

use std::borrow::Cow;
use std::ops::Range;

use iscc_media::xml::prolog::Prolog;

/// The document with the root element's width and height converted to pixels, if they are in
/// physical units.
pub fn in_pixels(text: &str) -> Cow<'_, str> {
    let Some(tag) = root_tag(text) else { return Cow::Borrowed(text) };
    let mut changed = Cow::Borrowed(text);
    // The last first, so that its replacement does not move the other.
    let mut sizes: Vec<_> =
        ["width", "height"].iter().filter_map(|name| value_of(text, &tag, name)).collect();
    sizes.sort_by_key(|range| std::cmp::Reverse(range.start));
    for range in sizes {
        if let Some(pixels) = pixels(&text[range.clone()]) {
            changed.to_mut().replace_range(range, &pixels.to_string());
        }
    }
    changed
}

/// Byte range of the root element's tag, without `>`.
fn root_tag(text: &str) -> Option<Range<usize>> {
    let start = Prolog::of(text.as_bytes()).root?;
    Some(start..start + text[start..].find('>')?)
}

/// Byte range of an attribute's value, without its quotes.
fn value_of(text: &str, tag: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let source = &text[tag.clone()];
    for (at, _) in source.match_indices(name) {
        let is_name = source[..at].ends_with(|before: char| before.is_ascii_whitespace());
        let rest = source[at + name.len()..].trim_start();
        let Some(rest) = rest.strip_prefix('=').map(str::trim_start).filter(|_| is_name) else {
            continue;
        };
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let start = tag.start + source.len() - rest.len() + 1;
        return Some(start..start + rest[1..].find(quote)?);
    }
    None
}

/// A length in whole pixels at 96 dpi; `None` for numbers without unit, pixels and relative units.
fn pixels(length: &str) -> Option<u32> {
    const POINTS_PER_INCH: f64 = 72.0;
    let length = length.trim();
    let unit_at = length.len().checked_sub(2).filter(|at| length.is_char_boundary(*at))?;
    let (number, unit) = length.split_at(unit_at);
    let per_unit = match unit {
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "in" => 96.0,
        "pt" => 96.0 / POINTS_PER_INCH,
        "pc" => 12.0 * 96.0 / POINTS_PER_INCH,
        _ => return None,
    };
    let number: f64 = number.trim_end().parse().ok()?;
    Some((number * per_unit) as u32).filter(|pixels| *pixels > 0)
}

#[cfg(test)]
mod tests {
    use super::in_pixels;

    #[test]
    fn converts_only_lengths_of_the_root() {
        let changed = in_pixels(
            "<svg stroke-width='1mm' width = \"50mm\" height='30mm'><a width='1in'/></svg>",
        );
        assert_eq!(
            changed,
            "<svg stroke-width='1mm' width = \"188\" height='113'><a width='1in'/></svg>"
        );
        assert_eq!(
            in_pixels("<svg height='72pt' width='2.54cm'/>"),
            "<svg height='96' width='96'/>"
        );
        assert_eq!(
            in_pixels("<!-- <svg width='1in'> --><svg width='2in'/>"),
            "<!-- <svg width='1in'> --><svg width='192'/>"
        );
    }

    #[test]
    fn other_documents_are_unchanged() {
        for same in [
            "",
            "<svg",
            "<svg width='50' height='30px'/>",
            "<svg width='50%' height='3em'/>",
            "<svg width='0.1mm'/>",
            "<svg width='€m'/>",
            "<svg width='mm' height=\"1in/>",
            "<svg><rect width='1in'/></svg>",
        ] {
            assert_eq!(in_pixels(same), same);
        }
    }
}
