//! Text of charts and diagrams in Office Open XML (ECMA-376 part 1, 21.2 and 21.4).

use super::DocumentError;
use super::container::Container;
use iscc_media::xml::{self, Token};

/// Appends the texts of the diagrams and then of the charts that a part refers to.
pub fn append(
    container: &mut Container<'_>,
    part: &str,
    text: &mut String,
) -> Result<(), DocumentError> {
    for kind in ["diagramData", "chart"] {
        for graphic in container.related(part, kind)? {
            let content = container.part(&graphic)?;
            append_part(&graphic, &content, text)?;
        }
    }
    Ok(())
}

/// Appends the paragraphs of a graphic, a line each, and the cached values of a chart with a tab
/// after each.
pub fn append_part(part: &str, content: &[u8], text: &mut String) -> Result<(), DocumentError> {
    let start = text.len();
    let (mut in_text, mut in_value) = (false, false);
    xml::for_each_token(part, content, |token| match token {
        Token::Open { name, .. } => match xml::local(name) {
            "t" if name != "dgm:t" => in_text = true,
            "v" => in_value = true,
            _ => {}
        },
        Token::Close { name } => match xml::local(name) {
            "t" => in_text = false,
            "p" => text.push('\n'),
            "v" => {
                in_value = false;
                text.push('\t');
            }
            _ => {}
        },
        Token::Text(piece) if in_text || in_value => text.push_str(piece),
        Token::Text(_) => {}
    })?;
    if text.len() > start && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(())
}
