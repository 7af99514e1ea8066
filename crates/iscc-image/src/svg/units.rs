//! The size of a document in whole pixels, as the reference takes it. Physical units are converted before
//! layout: rendering at 188 pixels differs from rendering at 188.98 and scaling down.

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

/// The size in whole pixels that the root element names: width and height, else the view box. `None` if it names no size,
/// or only one that depends on a window.
pub fn native(text: &str) -> Option<(u32, u32)> {
    let tag = root_tag(text)?;
    let value = |name| value_of(text, &tag, name).map(|range| &text[range]);
    let side = |name| value(name).and_then(side_pixels);
    let (width, height) = (side("width"), side("height"));
    if let (Some(width), Some(height)) = (width, height) {
        return Some((width, height));
    }
    let numbers = value("viewBox")?.replace(',', " ");
    let numbers: Vec<f64> =
        numbers.split_whitespace().filter_map(|part| part.parse().ok()).collect();
    let &[_, _, across, down] = &numbers[..] else { return None };
    let size = match (width, height) {
        (Some(width), None) if across > 0.0 => (width, (f64::from(width) * down / across) as u32),
        (None, Some(height)) if down > 0.0 => ((f64::from(height) * across / down) as u32, height),
        _ => (across as u32, down as u32),
    };
    Some(size).filter(|(width, height)| *width > 0 && *height > 0)
}

/// A side in whole pixels; `None` for relative units and for less than a pixel.
fn side_pixels(length: &str) -> Option<u32> {
    let number = length.trim();
    let number = number.strip_suffix("px").map_or(number, str::trim_end);
    let is_plain = number.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let whole = number.parse::<f64>().ok().filter(|_| is_plain).map(|number| number as u32);
    whole.filter(|pixels| *pixels > 0).or_else(|| pixels(length))
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
    use super::{in_pixels, native};

    #[test]
    fn the_native_size_is_that_of_the_root_or_of_its_view_box() {
        for (attributes, size) in [
            ("width='200.9' height='120px'", Some((200, 120))),
            ("width='2in' height='1e2'", Some((192, 100))),
            ("width='100%' height='50%' viewBox='0 0 64.5,32.9'", Some((64, 32))),
            ("width='100' viewBox='0 0 200 50'", Some((100, 25))),
            ("height='100' viewBox='0 0 200 50'", Some((400, 100))),
            ("width='0.5' height='0.5' viewBox='0 0 9 8'", Some((9, 8))),
            ("width='100'", None),
            ("width='100%' height='100%'", None),
            ("viewBox='0 0 0 5'", None),
            ("viewBox='0 0 5'", None),
            ("", None),
        ] {
            assert_eq!(native(&format!("<svg {attributes}/>")), size, "{attributes}");
        }
    }

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
