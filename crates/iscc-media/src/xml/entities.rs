//! Entities that a document defines itself (XML 1.0, 4.2.1).

use std::borrow::Cow;
use std::collections::HashMap;

/// Bytes that entities may add to a document: enough for names and phrases, too few for a bomb.
const ADDED_BYTES_MAX: usize = 4 << 20;

/// Bytes of the name in a reference. A search for the end of each of a million `&` must not read the
/// whole document.
const NAME_BYTES_MAX: usize = 128;

/// Entities within entities.
const DEPTH_MAX: usize = 16;

/// The document with its own internal entities replaced by their text. External entities are never
/// read. If the entities add too much or contain themselves, none is replaced.
pub fn expanded(xml: &str) -> Cow<'_, str> {
    let Some((head, body)) = after_doctype(xml) else { return xml.into() };
    let entities = declared(head);
    if entities.is_empty() {
        return xml.into();
    }
    let mut text = String::with_capacity(xml.len());
    text.push_str(head);
    let mut expansion = Expansion { entities, budget: ADDED_BYTES_MAX };
    match expansion.push(body, DEPTH_MAX, &mut text) {
        Some(()) => text.into(),
        None => xml.into(),
    }
}

struct Expansion<'a> {
    entities: HashMap<&'a str, String>,
    budget: usize,
}

impl Expansion<'_> {
    /// Appends `part` to `text`. `None` beyond a limit.
    fn push(&mut self, part: &str, depth: usize, text: &mut String) -> Option<()> {
        let mut rest = part;
        while let Some(at) = rest.find(['&', '<']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let literal = literal_bytes(rest);
            let name = rest.strip_prefix('&').and_then(name_and_rest);
            if literal == 1
                && let Some((name, after)) = name
                && let Some(value) = self.entities.get(name).cloned()
            {
                // A reference costs something too: entities can be empty.
                self.budget = self.budget.checked_sub(value.len().max(1))?;
                self.push(&value, depth.checked_sub(1)?, text)?;
                rest = after;
            } else {
                text.push_str(&rest[..literal]);
                rest = &rest[literal..];
            }
        }
        text.push_str(rest);
        Some(())
    }
}

/// What is before the semicolon that ends a reference, and after it.
fn name_and_rest(reference: &str) -> Option<(&str, &str)> {
    let end = reference.bytes().take(NAME_BYTES_MAX + 1).position(|byte| byte == b';')?;
    Some((&reference[..end], &reference[end + 1..]))
}

/// Bytes of the section, comment or instruction at the start, in which there are no references; else
/// of the first character, which is one byte.
fn literal_bytes(rest: &str) -> usize {
    const LITERALS: [(&str, &str); 3] = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")];
    match LITERALS.iter().find(|(start, _)| rest.starts_with(start)) {
        Some((start, end)) => match rest[start.len()..].find(end) {
            Some(at) => start.len() + at + end.len(),
            None => rest.len(),
        },
        None => 1,
    }
}

/// Splits a document with an internal subset after that subset.
fn after_doctype(xml: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    loop {
        at += xml[at..].find('<')?;
        if xml[at..].starts_with("<!DOCTYPE") {
            break;
        }
        let literal = literal_bytes(&xml[at..]);
        // An element: there is no document type.
        if literal == 1 {
            return None;
        }
        at += literal;
    }
    at += xml[at..].find(['[', '>'])?;
    if !xml[at..].starts_with('[') {
        return None;
    }
    loop {
        at += xml[at..].find(['<', ']', '"', '\''])?;
        let rest = &xml[at..];
        at += match rest.as_bytes()[0] {
            b']' => return Some(xml.split_at(at)),
            b'<' => literal_bytes(rest),
            quote => 2 + rest[1..].find(char::from(quote))?,
        };
    }
}

/// The internal general entities of a document type. The first declaration of a name counts.
fn declared(doctype: &str) -> HashMap<&str, String> {
    const PREDEFINED: [&str; 5] = ["lt", "gt", "amp", "apos", "quot"];
    let mut entities = HashMap::new();
    let mut rest = doctype;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let Some(declaration) = rest.strip_prefix("<!ENTITY") else {
            rest = &rest[literal_bytes(rest)..];
            continue;
        };
        rest = declaration;
        if let Some((name, after)) = declaration.trim_start().split_once(char::is_whitespace)
            && name != "%"
            && let Some((value, after)) = quoted(after.trim_start())
        {
            if !PREDEFINED.contains(&name) {
                entities.entry(name).or_insert_with(|| with_characters(value));
            }
            rest = after;
        }
    }
    entities
}

/// The value in quotes at the start, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    text[1..].split_once(quote)
}

/// The value with its character references replaced, as a declaration requires.
fn with_characters(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("&#") {
        text.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        match character(rest) {
            Some((character, after)) => {
                text.push(character);
                rest = after;
            }
            None => text.push_str("&#"),
        }
    }
    text.push_str(rest);
    text
}

fn character(reference: &str) -> Option<(char, &str)> {
    let (digits, after) = name_and_rest(reference)?;
    let code = match digits.strip_prefix('x') {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((char::from_u32(code)?, after))
}

#[cfg(test)]
mod tests {
    use super::{ADDED_BYTES_MAX, DEPTH_MAX, expanded};

    fn body(doctype: &str, body: &str) -> String {
        let xml = format!("<?xml version='1.0'?><!-- <a> --><!DOCTYPE a {doctype}>{body}");
        let text = expanded(&xml);
        text[text.find(&format!("<!DOCTYPE a {doctype}>")).unwrap() + 13 + doctype.len()..]
            .to_owned()
    }

    #[test]
    fn own_entities_are_replaced() {
        let own = r#"[<!-- <!ENTITY no "x"> ']' --><!ENTITY co "Firma ] <b>AG</b>"><!ENTITY two '&co; &#38;co; &amp;'>]"#;
        assert_eq!(
            body(own, "<a t='&co;'>&co;&amp;&uuml;&no;&#65;</a>"),
            "<a t='Firma ] <b>AG</b>'>Firma ] <b>AG</b>&amp;&uuml;&no;&#65;</a>"
        );
        assert_eq!(body(own, "<a>&two;</a>"), "<a>Firma ] <b>AG</b> Firma ] <b>AG</b> &amp;</a>");
        let literal = "<a><![CDATA[&co;]]><!-- &co; --><?p &co;?>&co</a>";
        assert_eq!(body(own, literal), literal);
        assert_eq!(body("SYSTEM 'a.dtd' [<!ENTITY e ''>]", "<a>1&e;2</a>"), "<a>12</a>");
    }

    #[test]
    fn entities_in_entities_are_limited() {
        let chain = |depth: usize| {
            let next: String =
                (1..depth).map(|at| format!("<!ENTITY e{at} '&e{};'>", at - 1)).collect();
            body(&format!("[<!ENTITY e0 'x'>{next}]"), &format!("<a>&e{};</a>", depth - 1))
        };
        assert_eq!(chain(DEPTH_MAX), "<a>x</a>");
        assert_eq!(chain(DEPTH_MAX + 1), format!("<a>&e{DEPTH_MAX};</a>"));
    }

    #[test]
    fn external_entities_and_redefinitions_are_ignored() {
        let own = r#"[<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY % p "x"><!ENTITY lt "x"><!ENTITY f "1"><!ENTITY f "2">]"#;
        assert_eq!(body(own, "<a>&e;&p;&lt;&f;</a>"), "<a>&e;&p;&lt;1</a>");
    }

    #[test]
    fn bombs_and_circles_are_not_expanded() {
        let mut bomb = "<!ENTITY e0 'lol'>".to_owned();
        for level in 1..10 {
            let value = format!("&e{};", level - 1).repeat(10);
            bomb.push_str(&format!("<!ENTITY e{level} '{value}'>"));
        }
        for (own, text) in [
            (format!("[{bomb}]"), "<a>&e9;</a>".to_owned()),
            (format!("[{}]", bomb.replace("lol", "")), "<a>&e9;</a>".to_owned()),
            ("[<!ENTITY a '&b;'><!ENTITY b '&a;'>]".to_owned(), "<a>&a;</a>".to_owned()),
            (format!("[<!ENTITY a '{}'>]", "x".repeat(5000)), "&a;".repeat(5000)),
        ] {
            assert_eq!(body(&own, &text), text);
        }
    }

    #[test]
    fn broken_document_types_are_kept() {
        for xml in [
            "",
            "<",
            "<!DOCTYPE",
            "<!DOCTYPE a [",
            "<!DOCTYPE a [<!ENTITY",
            "<!DOCTYPE a [<!ENTITY e 'x>]><a>&e;",
            "<!DOCTYPE a [<!ENTITY ü \"",
            "<a>&e;</a><!DOCTYPE a [<!ENTITY e 'x'>]>",
            "<!DOCTYPE a []><a>&",
            "<!--",
            "<?",
            "<!DOCTYPE a [<!-- ü",
        ] {
            assert_eq!(expanded(xml), xml);
        }
    }

    #[test]
    fn the_name_of_a_reference_has_at_most_128_bytes() {
        for (length, value) in [(128, "v"), (129, "")] {
            let name = "n".repeat(length);
            let reference = format!("&{name};");
            let found = body(&format!("[<!ENTITY {name} 'v'>]"), &format!("<a>{reference}</a>"));
            let expected = if value.is_empty() { &reference } else { value };
            assert_eq!(found, format!("<a>{expected}</a>"), "{length}");
        }
    }

    #[test]
    fn references_without_an_end_cost_no_search_of_the_document() {
        let million = "&".repeat(1_000_000);
        let doctype = "[<!ENTITY e 'x'>]";
        assert_eq!(body(doctype, &million), million);
        // Digits in a declaration: 10^12 steps if each searched to the end.
        let digits = "&#".repeat(1_000_000);
        assert_eq!(
            body(&format!("[<!ENTITY e '{digits}'>]"), "<a>&e;</a>"),
            format!("<a>{digits}</a>")
        );
    }

    #[test]
    fn entities_add_bytes_to_the_limit() {
        const TIMES: usize = 4;
        let added = |more: &str| {
            let value = "x".repeat(ADDED_BYTES_MAX / TIMES);
            let body = "&e;".repeat(TIMES);
            let xml = format!(
                r#"<!DOCTYPE a [<!ENTITY e "{value}"><!ENTITY f "x">]><a>{body}{more}</a>"#
            );
            expanded(&xml).len()
        };
        assert_eq!(added("") - added("&f;"), ADDED_BYTES_MAX - "&e;".len() * TIMES - "&f;".len());
    }
}
