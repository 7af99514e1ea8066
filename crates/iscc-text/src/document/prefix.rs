//! Conventional prefixes of names in Office Open XML. Programs may choose other prefixes (LXML and
//! ElementTree write `ns0:`); the readers of documents compare names with the conventional ones.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use iscc_media::xml::{self, Token, XmlError};

/// Namespaces with their conventional prefixes: transitional, then strict (ECMA-376 parts 4 and 1).
const NAMESPACES: [(&str, &str); 13] = [
    ("http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w"),
    ("http://schemas.openxmlformats.org/spreadsheetml/2006/main", ""),
    ("http://schemas.openxmlformats.org/presentationml/2006/main", "p"),
    ("http://schemas.openxmlformats.org/drawingml/2006/main", "a"),
    ("http://schemas.openxmlformats.org/officeDocument/2006/math", "m"),
    ("http://schemas.openxmlformats.org/officeDocument/2006/relationships", "r"),
    ("http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"),
    ("http://purl.oclc.org/ooxml/wordprocessingml/main", "w"),
    ("http://purl.oclc.org/ooxml/spreadsheetml/main", ""),
    ("http://purl.oclc.org/ooxml/presentationml/main", "p"),
    ("http://purl.oclc.org/ooxml/drawingml/main", "a"),
    ("http://purl.oclc.org/ooxml/officeDocument/math", "m"),
    ("http://purl.oclc.org/ooxml/officeDocument/relationships", "r"),
];

/// The conventional prefix of a namespace.
fn conventional(namespace: &str) -> Option<&'static str> {
    NAMESPACES.iter().find(|(it, _)| *it == namespace).map(|(_, prefix)| *prefix)
}

/// Like [`xml::for_each_token`], with conventional prefixes of elements and attributes, whatever
/// prefixes the part uses. Most parts use the conventional ones and are read as they are.
pub fn for_each_token(
    part: &str,
    bytes: &[u8],
    visit: impl FnMut(Token<'_>),
) -> Result<(), XmlError> {
    let text = xml::decode(bytes);
    if is_conventional(&text) {
        return xml::for_each_token(part, bytes, visit);
    }
    xml::for_each_token(part, renamed(text.trim_start_matches('\u{feff}')).as_bytes(), visit)
}

/// Whether all namespaces of the table have their conventional prefixes. Looks for declarations
/// without parsing, because that is much faster and a false one only costs time.
fn is_conventional(text: &str) -> bool {
    const DECLARATION: &str = "xmlns";
    text.match_indices(DECLARATION).all(|(at, _)| {
        let declared = declaration(&text.as_bytes()[at + DECLARATION.len()..]);
        declared.is_none_or(|(prefix, namespace)| {
            let prefixes = NAMESPACES.iter().filter(|(it, _)| it.as_bytes() == namespace);
            prefixes.into_iter().all(|(_, it)| it.as_bytes() == prefix)
        })
    })
}

/// Prefix and namespace of a declaration after its `xmlns`. Long ones are not of the table.
fn declaration(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    const BYTES_MAX: usize = 256;
    let rest = &rest[..rest.len().min(BYTES_MAX)];
    let equals = rest.iter().position(|byte| *byte == b'=')?;
    let name = rest[..equals].trim_ascii();
    let prefix = if name.is_empty() { name } else { name.strip_prefix(b":")? };
    let (quote, value) = rest[equals + 1..].trim_ascii_start().split_first()?;
    let end = value.iter().position(|byte| byte == quote)?;
    Some((prefix, &value[..end]))
}

/// The same XML with conventional prefixes, from where on it is not well-formed unchanged. Leaves
/// out the declaration, whose encoding is not that of the result.
fn renamed(text: &str) -> String {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut output = String::with_capacity(text.len());
    let mut scope = Scope::default();
    let mut start = 0;
    loop {
        let event = reader.read_event();
        let end = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        match event {
            Ok(Event::Eof) | Err(_) => return output + &text[start..],
            Ok(Event::Start(element)) => {
                scope.open(&element);
                push_start(&mut output, &scope, &element);
                output.push('>');
            }
            Ok(Event::Empty(element)) => {
                scope.open(&element);
                push_start(&mut output, &scope, &element);
                output.push_str("/>");
                scope.close();
            }
            Ok(Event::End(element)) => {
                output.push_str("</");
                push_name(&mut output, &scope, element.name().into_inner());
                output.push('>');
                scope.close();
            }
            Ok(Event::Decl(_) | Event::DocType(_)) => {}
            Ok(_) => output.push_str(&text[start..end]),
        }
        start = end;
    }
}

fn push_start(output: &mut String, scope: &Scope, element: &BytesStart<'_>) {
    output.push('<');
    push_name(output, scope, element.name().into_inner());
    for attribute in element.attributes().with_checks(false).flatten() {
        let name = attribute.key.into_inner();
        output.push(' ');
        match name.split_once(':') {
            Some(_) => push_name(output, scope, name),
            // The default namespace is not that of attributes.
            None => output.push_str(name),
        }
        let quote = if attribute.value.contains('"') { '\'' } else { '"' };
        output.push('=');
        output.push(quote);
        output.push_str(&attribute.value);
        output.push(quote);
    }
}

/// Appends a name with its conventional prefix; unchanged in other namespaces.
fn push_name(output: &mut String, scope: &Scope, name: &str) {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    match scope.prefix(prefix) {
        Some("") => output.push_str(local),
        Some(prefix) => {
            output.push_str(prefix);
            output.push(':');
            output.push_str(local);
        }
        None => output.push_str(name),
    }
}

/// The namespaces that are declared at a place. The time for a name does not depend on the number of
/// declarations.
#[derive(Default)]
struct Scope {
    depth: usize,
    /// The declared prefixes with the depths of their elements.
    declared: Vec<(usize, String)>,
    /// For each prefix the conventional ones of its namespaces, the innermost last.
    prefixes: HashMap<String, Vec<Option<&'static str>>>,
}

impl Scope {
    fn prefix(&self, prefix: &str) -> Option<&'static str> {
        *self.prefixes.get(prefix)?.last()?
    }

    fn open(&mut self, element: &BytesStart<'_>) {
        self.depth += 1;
        for attribute in element.attributes().with_checks(false).flatten() {
            let Some(name) = attribute.key.into_inner().strip_prefix("xmlns") else { continue };
            let prefix = name.strip_prefix(':').unwrap_or(name);
            if name.is_empty() || name.len() > prefix.len() {
                let namespace = conventional(&attribute.value);
                self.prefixes.entry(prefix.to_owned()).or_default().push(namespace);
                self.declared.push((self.depth, prefix.to_owned()));
            }
        }
    }

    fn close(&mut self) {
        while let Some((_, prefix)) = self.declared.pop_if(|(depth, _)| *depth == self.depth) {
            if let Some(namespaces) = self.prefixes.get_mut(&prefix) {
                namespaces.pop();
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = NAMESPACES[0].0;
    const SHEET: &str = NAMESPACES[1].0;

    #[test]
    fn names_get_their_conventional_prefixes() {
        for (xml, expected) in [
            (
                format!("<ns0:p xmlns:ns0='{WORD}' ns0:val='a\"b' ns0:x='&amp;' y='1'/>"),
                format!("<w:p xmlns:ns0=\"{WORD}\" w:val='a\"b' w:x=\"&amp;\" y=\"1\"/>"),
            ),
            (
                format!("<?xml version='1.0'?><p xmlns = \"{WORD}\" val='1'>a &lt; ü&#10;b</p>\n"),
                format!("<w:p xmlns=\"{WORD}\" val=\"1\">a &lt; ü&#10;b</w:p>\n"),
            ),
            (
                format!("<x:v xmlns:x='{SHEET}'>1<!--c--><![CDATA[<x:v>]]></x:v><x:v>"),
                format!("<v xmlns:x=\"{SHEET}\">1<!--c--><![CDATA[<x:v>]]></v><x:v>"),
            ),
            // Declarations apply inside of their element, and inner ones hide outer ones.
            (
                format!("<a><q:t xmlns:q='{WORD}'><q:t xmlns:q='other'/></q:t><q:t/></a>"),
                format!("<a><w:t xmlns:q=\"{WORD}\"><q:t xmlns:q=\"other\"/></w:t><q:t/></a>"),
            ),
            // Unmatched ends, and XML that is not well-formed.
            (
                format!("</a></b><x:v xmlns:x='{SHEET}'>a & b</x:v><![CDATA[x"),
                format!("</a></b><v xmlns:x=\"{SHEET}\">a & b</v><![CDATA[x"),
            ),
        ] {
            assert!(!is_conventional(&xml), "{xml}");
            assert_eq!(renamed(&xml), expected, "{xml}");
        }
    }

    #[test]
    fn parts_with_conventional_prefixes_are_unchanged() {
        for xml in [
            format!("<w:document xmlns:w='{WORD}' xmlns:x='other'/>"),
            format!("<worksheet xmlns=\"{SHEET}\">xmlns xmlns: xmlns=' xmlns:a</worksheet>"),
            format!("<a xmlns:b='{}'/>", "x".repeat(1000)),
            "xmlns".to_owned(),
        ] {
            assert!(is_conventional(&xml), "{xml}");
        }
    }

    #[test]
    fn many_declarations_take_linear_time() {
        let declarations: String = (0..50_000).map(|i| format!(" xmlns:n{i}='{SHEET}'")).collect();
        let xml = format!("<n0:a{declarations}>{}", "<n1:b>".repeat(200_000));
        let mut count = 0;
        for_each_token("part", xml.as_bytes(), |token| {
            count += usize::from(matches!(token, Token::Open { name: "b", .. }));
        })
        .unwrap();
        assert_eq!(count, 200_000);
    }

    #[test]
    fn decodes_declared_encodings() {
        let xml =
            format!("\u{feff}<?xml version='1.0' encoding='UTF-16'?><x:t xmlns:x='{SHEET}'>ü");
        let bytes: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut tokens = Vec::new();
        for_each_token("part", &bytes, |token| match token {
            Token::Open { name, .. } => tokens.push(name.to_owned()),
            Token::Text(text) => tokens.push(text.to_owned()),
            Token::Close { .. } => {}
        })
        .unwrap();
        assert_eq!(tokens, ["t", "ü"]);
    }
}
