//! Text, properties and files of RTF.

use super::super::container::Budget;

fn read(rtf: &[u8]) -> Result<super::Document, super::DocumentError> {
    super::read(rtf, &mut Budget::default())
}

fn text(rtf: &str) -> String {
    read(rtf.as_bytes()).unwrap().text
}

#[test]
fn decodes_text_in_its_encoding() {
    assert_eq!(text(r"{\rtf1\ansi\ansicpg1252\pard caf\'e9\par}"), "café\n");
    assert_eq!(text(r"{\rtf1\ansi\ansicpg932\pard\'93\'fa\'96\'7b}"), "日本");
    assert_eq!(text(r"{\rtf1 \u233?\u-10179?\u-8704?x}"), "é😀x");
    assert_eq!(text(r"{\rtf1\uc2 \u945\'61\'62b}"), "αb");
    assert_eq!(text(r"{\rtf1 a\{b\}\\c\~d}"), "a{b}\\c\u{a0}d");
    assert_eq!(text(r"{\rtf0\mac\par lanc\'8e}"), "\nlancé");
    let fonts = r"{\rtf1\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}";
    let body = r"\pard{\f1 \'cf\'f0}\'e8\f2 \'93\'fa\plain \'e8}";
    assert_eq!(text(&format!("{fonts}{body}")), "Прè日è");
}

#[test]
fn text_of_the_header_is_left_out_but_for_its_last_part() {
    assert_eq!(
        text(r"{\rtf1\widowctrl $for(x)$ {\pard $title$\par}$end$\par}"),
        "$title$\n$end$\n"
    );
    // The words do not count in groups without text.
    assert_eq!(text(r"{\rtf1 a{\stylesheet{\s1\plain Normal;}}b\pard c}"), "bc");
    // What comes right before the first paragraph belongs to it.
    assert_eq!(text("{\\rtf1{\\colortbl;}Bug\nTest\n\\par here}"), "BugTest\nhere");
    assert_eq!(text(r"{\rtf1 {a}b\tab c\u233?d\qc e\par}"), "de\n");
    // So does what follows the first font after the table of fonts. All of these are recorded.
    let with_fonts = |body: &str| text(&format!(r"{{\rtf1\ansi{{\fonttbl{{\f0 A;}}}}{body}\par}}"));
    assert_eq!(with_fonts(r"\li0\f2\fs36 TO\tab FROM"), "TO\tFROM\n");
    assert_eq!(with_fonts(r"a\tab b\f0 c\tab d"), "bc\td\n");
    assert_eq!(with_fonts(r"a\tab b\f c\tab d"), "d\n");
    assert_eq!(with_fonts(r"\widowctrl{\f0 in}TO\tab FROM"), "inTO\tFROM\n");
    assert_eq!(with_fonts(r"{\f0 in}TO\tab FROM"), "FROM\n");
    assert_eq!(with_fonts(r"\li0{\*\x\f0 a}TO\tab FROM"), "FROM\n");
    // All of the text is before the first paragraph, and better than none.
    assert_eq!(text(r"{\rtf1{\colortbl;}\trowd Offer\cell}"), "Offer\n");
    // A part of a document.
    assert_eq!(text("{\\pard Simple table:\\par}\n{\\trowd a\\cell}"), "Simple table:\n");
}

#[test]
fn shows_links_in_notes_without_text() {
    let field = |instruction: &str| {
        text(&format!(
            r"{{\rtf1\pard a{{\*\footnote Note {{\field{{\*\fldinst{{{instruction}}}}}{{\fldrslt{{\ul link}}}}}}}}\par}}"
        ))
    };
    assert_eq!(field(r#"HYPERLINK "http://example.com""#), "alink\n");
    assert_eq!(field("PAGE"), "a\n");
}

#[test]
fn ends_with_the_outermost_group() {
    assert_eq!(text("{\\rtf1\\pard {a} b\\par}\n\u{fffd}8$ left over"), "a b\n");
}

#[test]
fn ignores_groups_without_text() {
    let document = read(
        br"{\rtf1{\fonttbl{\f0 Arial;}}{\*\generator X;}{\info{\title T\'e9}{\author A}{\operator O}{\doccomm C}}\pard Body{\field{\*\fldinst HYPERLINK}{\fldrslt link}}{\listtext 1.}\par}",
    )
    .unwrap();
    assert_eq!(document.text, "Bodylink\n");
    assert_eq!(document.properties.title.as_deref(), Some("Té"));
    assert_eq!(document.properties.creators, ["A"]);
    assert_eq!(document.properties.description, None);
}

#[test]
fn shows_tables_after_the_header_that_no_mark_hides() {
    let styles = "\\latentstyles\\lsd1 Normal;{\\lsdlockedexcept in;}";
    // The mark of a destination counts only directly after the brace.
    let body = |group: &str| text(&format!("{{\\rtf1\\pard one {{{group}}} two\\par}}"));
    assert_eq!(body(&format!("\\*{styles}")), "one  two\n");
    assert_eq!(body(styles), "one Normal;in; two\n");
    assert_eq!(body(&format!("\r\n\\*{styles}")), "one Normal;in; two\n");
    assert_eq!(body(&format!("\\*\\x{{{styles}}}")), "one  two\n");
    let header = |group: &str| text(&format!("{{\\rtf1{{{group}}}\\pard two\\par}}"));
    assert_eq!(header(styles), "two\n");
    assert_eq!(header(r"\stylesheet{\s1\plain Head;}"), "two\n");
    assert_eq!(header(r"\listtable\plain L1;"), "L1;two\n");
}

#[test]
fn reads_headers_notes_annotations_and_text_boxes_in_place() {
    assert_eq!(
        text(
            r"{\rtf1{\header\pard H\par}{\footer F\par}\pard a{\footnote N} b{\*\atnid I}{\*\atnauthor W}{\*\annotation{\*\atnref 0}C}{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt Box\par}}}c\par}"
        ),
        "H\nF\naN b I W CBox\nc\n"
    );
    assert_eq!(text(r"{\rtf1{\object{\*\objdata 0105}{\result Object}}}"), "Object");
}

#[test]
fn prefers_the_unicode_destination() {
    let info = r"{\rtf1{\info{\upr{\title ??}{\*\ud{\title \u22865?\u252\'fc}}}}{\upr{b ?}{\*\ud{b \u8364?}}}}";
    let document = read(info.as_bytes()).unwrap();
    assert_eq!(document.properties.title.as_deref(), Some("契ü"));
    assert_eq!(document.text, "b €");
}

#[test]
fn adds_a_file_name_per_picture() {
    let png = "89504e470d0a1a0a0000000d49484452";
    let rtf = format!(
        r"{{\rtf1\pard a{{\*\shppict{{\pict\pngblip {png}}}}}{{\nonshppict{{\pict\wmetafile8 0100}}}}b}}"
    );
    assert_eq!(text(&rtf), "afile_0.png\n\nfile_1.bin\n\nb");
}

#[test]
fn accepts_invalid_input() {
    for rtf in
        ["{\\rtf", "{\\rtf1\\", "{\\rtf1}}}}x", "{\\rtf1\\bin999 x", "{\\rtf1\\'", "{\\rtf1\\u"]
    {
        text(rtf);
    }
    text(&format!("{{\\rtf1{}", "{".repeat(100_000)));
    text(&format!("{{\\rtf1{}", "{\\pict".repeat(100_000)));
}

#[test]
fn groups_below_the_limit_of_depth_count_as_their_ancestors() {
    // The properties hide their own group only, if it is one. The outermost group counts, too.
    let shown = |depth: usize| text(&format!("{{\\rtf1{}{{\\info a}}b", "{".repeat(depth)));
    assert_eq!(shown(super::DEPTH_MAX - 2), "b");
    assert_eq!(shown(super::DEPTH_MAX - 1), "");
}
