//! Rendering at the intrinsic size.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, ID, Query, Stretch, Style, Weight};
use resvg::usvg::{
    Font, FontFamily, FontStretch, FontStyle, ImageHrefResolver, Options, Size, Tree,
};

use super::{SVG_SIDE_PIXELS_MAX, SvgError, cost, expansion, guard, is_markup, units};

/// A rendered image: `width * height` RGBA pixels, not premultiplied, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Four bytes per pixel.
    pub rgba: Vec<u8>,
}

/// The font for text whose font is generic, common or not installed, so that the same document has the
/// same code on all machines.
const FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");

/// Families that many machines have in different faces. They are drawn with [`FONT`] everywhere.
const COMMON_FAMILIES: [&str; 14] = [
    "arial",
    "calibri",
    "courier",
    "courier new",
    "georgia",
    "helvetica",
    "helvetica neue",
    "liberation sans",
    "segoe ui",
    "tahoma",
    "times",
    "times new roman",
    "trebuchet ms",
    "verdana",
];

/// [`FONT`] and the system's fonts, loaded once: loading takes longer than rendering most documents.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.load_system_fonts();
    Arc::new(fonts)
});

/// The face for a text: of the first family that is installed and not common, else [`FONT`].
fn face(font: &Font, fonts: &Database) -> Option<ID> {
    let named = |family: &FontFamily| match family {
        FontFamily::Named(name) => Some(name.clone()),
        _ => None,
    };
    // After a generic family nothing else counts.
    let names = font.families().iter().map_while(named);
    let names: Vec<String> =
        names.filter(|name| !COMMON_FAMILIES.contains(&name.to_lowercase().as_str())).collect();
    let families: Vec<Family<'_>> = names.iter().map(|name| Family::Name(name)).collect();
    let stretch = match font.stretch() {
        FontStretch::UltraCondensed => Stretch::UltraCondensed,
        FontStretch::ExtraCondensed => Stretch::ExtraCondensed,
        FontStretch::Condensed => Stretch::Condensed,
        FontStretch::SemiCondensed => Stretch::SemiCondensed,
        FontStretch::Normal => Stretch::Normal,
        FontStretch::SemiExpanded => Stretch::SemiExpanded,
        FontStretch::Expanded => Stretch::Expanded,
        FontStretch::ExtraExpanded => Stretch::ExtraExpanded,
        FontStretch::UltraExpanded => Stretch::UltraExpanded,
    };
    let style = match font.style() {
        FontStyle::Normal => Style::Normal,
        FontStyle::Italic => Style::Italic,
        FontStyle::Oblique => Style::Oblique,
    };
    let query = Query { families: &families, weight: Weight(font.weight()), stretch, style };
    // The fonts start with the one that is always there.
    fonts.query(&query).or_else(|| fonts.faces().next().map(|face| face.id))
}

/// Renders an SVG at its intrinsic size: width and height, else the view box, at 96 dpi, in whole
/// pixels. A document that names no size, or a side above [`SVG_SIDE_PIXELS_MAX`], is scaled to that
/// maximum, as in the reference. Reads nothing outside of the document. Rejects documents that would take too long to draw
/// before drawing them.
pub fn rasterize(bytes: &[u8]) -> Result<Raster, SvgError> {
    let text = guard(bytes)?;
    let resolve = ImageHrefResolver::default_data_resolver();
    let resolver = ImageHrefResolver {
        // A document within the document has the same limits.
        resolve_data: Box::new(move |mime, data, options| {
            let is_refused = is_markup(&data)
                && guard(&data).and_then(|t| expansion::parse(&t).map(drop)).is_err();
            (!is_refused).then(|| resolve(mime, data, options)).flatten()
        }),
        // A reference could name any local file.
        resolve_string: Box::new(|_, _| None),
    };
    let mut options = Options { image_href_resolver: resolver, ..Options::default() };
    if text.contains("<text") {
        options.fontdb = Arc::clone(&FONTS);
        options.font_resolver.select_font = Box::new(|font, fonts| face(font, fonts));
    }
    let text = units::in_pixels(&text);
    let tree = Tree::from_xmltree(&expansion::parse(&text)?, &options).map_err(invalid)?;
    let size = tree.size();
    let fits = |(width, height): &(u32, u32)| *width.max(height) <= SVG_SIDE_PIXELS_MAX;
    let bounds = units::native(&text).filter(fits);
    let (width, height) =
        within(size, bounds.unwrap_or((SVG_SIDE_PIXELS_MAX, SVG_SIDE_PIXELS_MAX)));
    let fit = Transform::from_scale(width as f32 / size.width(), height as f32 / size.height());
    if cost::is_too_high(tree.root(), fit, width, height) {
        return Err(SvgError::TooCostly);
    }
    let mut pixmap = Pixmap::new(width, height).ok_or_else(|| invalid("the size is invalid"))?;
    resvg::render(&tree, fit, &mut pixmap.as_mut());
    Ok(Raster { width, height, rgba: pixmap.take_demultiplied() })
}

/// The largest size of the same shape within bounds, as resvg's own program takes it: from whole pixels, rounded up.
fn within(size: Size, bounds: (u32, u32)) -> (u32, u32) {
    let [width, height] = [size.width(), size.height()].map(|side| side.ceil().max(1.0));
    let fitted = (bounds.1 as f32 * width / height).ceil() as u32;
    if fitted < bounds.0 {
        return (fitted.max(1), bounds.1);
    }
    (bounds.0, ((bounds.0 as f32 * height / width).ceil() as u32).max(1))
}

fn invalid(error: impl std::fmt::Display) -> SvgError {
    SvgError::Invalid(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{SvgError, rasterize};

    fn svg(attributes: &str, content: &str) -> Vec<u8> {
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{content}</svg>"#)
            .into_bytes()
    }

    #[test]
    fn sizes_are_whole_pixels_at_96_dpi() {
        let square = r#"<rect width="5" height="5" fill="red"/>"#;
        for (attributes, size) in [
            (r#"width="200" height="120""#, (200, 120)),
            (r#"width="50mm" height="30mm" viewBox="0 0 50 30""#, (188, 113)),
            (r#"viewBox="0 0 64 32""#, (64, 32)),
            // Less than a pixel is no size.
            (r#"width="0.2" height="0.2""#, (4096, 4096)),
            (r#"width="100000" height="50000""#, (4096, 2048)),
            // Without a size the drawing's own shape is scaled to the maximum.
            ("", (4096, 4096)),
            (r#"viewBox="0 0 100.5 50.2""#, (100, 51)),
        ] {
            let raster = rasterize(&svg(attributes, square)).unwrap();
            assert_eq!((raster.width, raster.height), size, "{attributes}");
            assert_eq!(raster.rgba.len(), (size.0 * size.1 * 4) as usize);
        }
    }

    #[test]
    fn text_is_drawn_whatever_font_it_names() {
        let drawn = |font: &str, words: &str| {
            let text = format!("<text y='40' font-size='40' {font}>{words}</text>");
            rasterize(&svg("width='300' height='60'", &text)).unwrap().rgba
        };
        let expected = drawn("", "Verlag AG");
        assert!(expected.iter().any(|sample| *sample > 0));
        for font in ["Arial, Helvetica, sans-serif", "Times New Roman", "none such", "monospace"] {
            assert!(drawn(&format!("font-family='{font}'"), "Verlag AG") == expected, "{font}");
        }
        assert!(drawn("", "Quelle und Co") != expected);
    }

    #[test]
    fn colours_are_not_premultiplied() {
        let half = svg(
            r#"width="2" height="2""#,
            r##"<rect width="1" height="2" fill="#f08040" fill-opacity="0.5"/>"##,
        );
        let raster = rasterize(&half).unwrap();
        let (pixel, empty) = (&raster.rgba[..4], &raster.rgba[4..8]);
        for (channel, expected) in pixel.iter().zip([0xf0, 0x80, 0x40, 0x80]) {
            assert!(channel.abs_diff(expected) <= 1, "{pixel:?}");
        }
        assert_eq!(empty, [0, 0, 0, 0]);
    }

    #[test]
    fn prologs_and_prefixes_do_not_change_the_image() {
        let drawing = svg(r#"width="1in" height="8""#, r#"<rect width="5" height="5"/>"#);
        let plain = rasterize(&drawing).unwrap();
        assert_eq!((plain.width, plain.height), (96, 8));
        let comment = format!("<!--{}-->", "x".repeat(5000));
        for before in [
            "\u{feff}\n ",
            "<!-- <svg width='2in'/> -->",
            &comment,
            r#"<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">"#,
            "<?xml version='1.0' encoding='iso-8859-1'?>",
        ] {
            let file = [before.as_bytes(), &drawing].concat();
            assert!(rasterize(&file).unwrap() == plain, "{before:.40}");
        }
        let prefixed = String::from_utf8(drawing).unwrap();
        let prefixed = prefixed
            .replace("xmlns=", "xmlns:s=")
            .replace("</svg", "</s:svg")
            .replace("<svg", "<s:svg")
            .replace("<rect", "<s:rect");
        assert!(rasterize(prefixed.as_bytes()).unwrap() == plain);
        let wide: Vec<u8> =
            format!("\u{feff}{prefixed}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(rasterize(&wide).unwrap() == plain);
    }

    #[test]
    fn external_files_are_not_read_and_bombs_are_rejected() {
        let reference =
            svg(r#"width="8" height="8""#, r#"<image width="8" height="8" href="/etc/passwd"/>"#);
        assert!(rasterize(&reference).unwrap().rgba.iter().all(|byte| *byte == 0));
        let bomb = b"<!DOCTYPE svg [<!Entity a 'aaaa'><!ENTITY b '&a;&a;'>]><svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'>&b;</svg>";
        assert!(matches!(rasterize(bomb), Err(SvgError::Entities)));
        for broken in [
            &b""[..],
            b"<svg",
            b"\xff\xfe",
            b"<html/>",
            b"<svg xmlns='http://www.w3.org/2000/svg' width='0' height='0'/>",
        ] {
            assert!(matches!(rasterize(broken), Err(SvgError::Invalid(_))));
        }
    }
}
