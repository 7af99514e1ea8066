//! Writes properties into a packet. All other properties are kept.

use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, QName, ResolveResult};
use quick_xml::{NsReader, Writer};

use super::XMP_BYTES_MAX;
use super::namespace::{CC, DC, ISCC, PDF, PHOTOSHOP, PLUS, RDF, XMP_RIGHTS};
use crate::charset;
use crate::xml::tree::DEPTH_MAX;

/// Elements in each other from the RDF to the value of a property.
const LEVELS_OF_PROPERTY: usize = 5;

/// Form of a property's value (ISO 16684-1, 7).
#[derive(Clone, Copy)]
enum Form {
    Text,
    /// Language alternative with one value
    Alternative,
    Ordered,
    Unordered,
    /// The URL of a PLUS licensor
    Licensor,
    Resource,
}

/// Properties that can be written: prefix, local name, namespace and form.
const PROPERTIES: [(&str, &str, &str, Form); 13] = [
    ("iscc", "name", ISCC, Form::Text),
    ("iscc", "description", ISCC, Form::Text),
    ("iscc", "meta", ISCC, Form::Text),
    ("dc", "title", DC, Form::Alternative),
    ("dc", "description", DC, Form::Alternative),
    ("dc", "creator", DC, Form::Ordered),
    ("dc", "rights", DC, Form::Alternative),
    ("dc", "subject", DC, Form::Unordered),
    ("dc", "identifier", DC, Form::Text),
    ("xmpRights", "WebStatement", XMP_RIGHTS, Form::Text),
    ("photoshop", "Credit", PHOTOSHOP, Form::Text),
    ("plus", "Licensor", PLUS, Form::Licensor),
    ("cc", "license", CC, Form::Resource),
];

/// Properties that repeat another one in older packets, and the property that replaces them.
const REPEATED: [(&str, &str, &str); 1] = [(PDF, "Keywords", "dc:subject")];

/// A property, such as `dc:title`, and its value. Repeated names are a list. Unknown names are ignored.
pub type Values<'a> = [(&'a str, &'a str)];

/// A packet with the given properties instead of all old ones with their names. An unreadable packet is
/// replaced by a new one.
pub fn write(packet: Option<&[u8]>, values: &Values<'_>) -> Vec<u8> {
    let edited = packet
        .filter(|packet| packet.len() <= XMP_BYTES_MAX)
        .and_then(|packet| edited(&charset::decode_xml(packet), values));
    edited.unwrap_or_else(|| new_packet(values)).into_bytes()
}

/// An `rdf:Description` with the given properties; declares every prefix that it uses.
pub fn description(values: &Values<'_>) -> String {
    let mut description = description_start();
    for (prefix, local, _, form) in PROPERTIES {
        let name = format!("{prefix}:{local}");
        let own: Vec<&str> =
            values.iter().filter(|(key, _)| *key == name).map(|(_, value)| *value).collect();
        if !own.is_empty() {
            description.push_str(&property(&name, &own, form));
        }
    }
    description + DESCRIPTION_END
}

const DESCRIPTION_END: &str = "</rdf:Description>";

/// The same for all descriptions, so that an emptied one is recognised.
fn description_start() -> String {
    let mut start = format!(r#"<rdf:Description rdf:about="" xmlns:rdf="{RDF}""#);
    let mut declared = Vec::new();
    for (prefix, _, namespace, _) in PROPERTIES {
        if !declared.contains(&prefix) {
            declared.push(prefix);
            start.push_str(&format!(r#" xmlns:{prefix}="{namespace}""#));
        }
    }
    start + ">"
}

fn property(name: &str, values: &[&str], form: Form) -> String {
    let first = escape(values[0]);
    let list = |kind: &str| {
        let items: String =
            values.iter().map(|value| format!("<rdf:li>{}</rdf:li>", escape(*value))).collect();
        format!("<{name}><rdf:{kind}>{items}</rdf:{kind}></{name}>")
    };
    match form {
        Form::Text => format!("<{name}>{first}</{name}>"),
        Form::Alternative => format!(
            r#"<{name}><rdf:Alt><rdf:li xml:lang="x-default">{first}</rdf:li></rdf:Alt></{name}>"#
        ),
        Form::Ordered => list("Seq"),
        Form::Unordered => list("Bag"),
        Form::Licensor => format!(
            concat!(
                r#"<{name}><rdf:Seq><rdf:li rdf:parseType="Resource">"#,
                r#"<plus:LicensorURL>{first}</plus:LicensorURL></rdf:li></rdf:Seq></{name}>"#
            ),
            name = name,
            first = first
        ),
        Form::Resource => format!(r#"<{name} rdf:resource="{first}"/>"#),
    }
}

fn new_packet(values: &Values<'_>) -> String {
    format!(
        concat!(
            "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>",
            r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="{}">{}</rdf:RDF></x:xmpmeta>"#,
            r#"<?xpacket end="w"?>"#
        ),
        RDF,
        description(values)
    )
}

/// `None` if the packet is malformed, or has no RDF where readers find it.
fn edited(packet: &str, values: &Values<'_>) -> Option<String> {
    let mut reader = NsReader::from_str(packet);
    let mut writer = Writer::new(Vec::with_capacity(packet.len() + 2048));
    let mut depth = 0_usize;
    let mut rdf_depth = None;
    let mut is_written = false;
    loop {
        let event = reader.read_event().ok()?;
        match &event {
            Event::Eof => break,
            Event::Start(start) => {
                depth += 1;
                if is_name(reader.resolver(), start.name(), RDF, "RDF") && rdf_depth.is_none() {
                    if depth + LEVELS_OF_PROPERTY > DEPTH_MAX {
                        return None;
                    }
                    rdf_depth = Some(depth);
                }
                let is_property = rdf_depth.is_some_and(|rdf| depth == rdf + 2);
                let is_description = rdf_depth.is_some_and(|rdf| depth == rdf + 1);
                if is_property && is_replaced(reader.resolver(), start.name(), values) {
                    reader.read_to_end(start.name()).ok()?;
                    depth -= 1;
                    continue;
                }
                if is_description {
                    let kept = without_attributes(reader.resolver(), start, values);
                    writer.write_event(Event::Start(kept)).ok()?;
                    continue;
                }
            }
            Event::Empty(start) if rdf_depth.is_some_and(|rdf| depth == rdf) => {
                let kept = without_attributes(reader.resolver(), start, values);
                writer.write_event(Event::Empty(kept)).ok()?;
                continue;
            }
            Event::Empty(start)
                if rdf_depth.is_some_and(|rdf| depth == rdf + 1)
                    && is_replaced(reader.resolver(), start.name(), values) =>
            {
                continue;
            }
            Event::End(_) => {
                if rdf_depth == Some(depth) {
                    writer.get_mut().extend_from_slice(description(values).as_bytes());
                    is_written = true;
                    rdf_depth = None;
                }
                depth = depth.checked_sub(1)?;
            }
            _ => {}
        }
        writer.write_event(event).ok()?;
    }
    let text = String::from_utf8(writer.into_inner()).ok()?;
    is_written.then(|| text.replace(&(description_start() + DESCRIPTION_END), ""))
}

fn is_name(resolver: &NamespaceResolver, name: QName<'_>, namespace: &str, local: &str) -> bool {
    let (found, found_local) = resolver.resolve_element(name);
    is_bound(&found, namespace) && found_local.as_ref() == local
}

fn is_bound(found: &ResolveResult<'_>, namespace: &str) -> bool {
    matches!(found, ResolveResult::Bound(bound) if bound.into_inner() == namespace)
}

fn is_replaced(resolver: &NamespaceResolver, name: QName<'_>, values: &Values<'_>) -> bool {
    let (namespace, local) = resolver.resolve_element(name);
    is_given(&namespace, local.as_ref(), values)
}

fn is_given(namespace: &ResolveResult<'_>, local: &str, values: &Values<'_>) -> bool {
    let is_value = |name: &str| values.iter().any(|(key, _)| *key == name);
    let is_own = PROPERTIES.iter().any(|(prefix, own, uri, _)| {
        *own == local && is_bound(namespace, uri) && is_value(&format!("{prefix}:{own}"))
    });
    is_own
        || REPEATED
            .iter()
            .any(|(uri, own, by)| *own == local && is_bound(namespace, uri) && is_value(by))
}

/// The start tag of a description without properties that are replaced.
fn without_attributes<'a>(
    resolver: &NamespaceResolver,
    start: &BytesStart<'a>,
    values: &Values<'_>,
) -> BytesStart<'a> {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    let attributes: Vec<_> = attributes.flatten().collect();
    let is_kept = |key: QName<'_>| {
        let (namespace, local) = resolver.resolve_attribute(key);
        !is_given(&namespace, local.as_ref(), values)
    };
    if attributes.iter().all(|attribute| is_kept(attribute.key)) {
        return start.clone();
    }
    let mut kept = start.clone();
    kept.clear_attributes();
    for attribute in attributes {
        if is_kept(attribute.key) {
            kept.push_attribute(attribute);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::Xmp;
    use super::super::namespace::{DC, ISCC, PLUS};
    use super::write;

    const VALUES: [(&str, &str); 5] = [
        ("iscc:name", "New <&>"),
        ("dc:title", "New <&>"),
        ("dc:subject", "a"),
        ("dc:subject", "b"),
        ("plus:Licensor", "https://example.com/?a&b"),
    ];

    fn assert_written(packet: &[u8]) {
        let xmp = Xmp::parse(packet);
        let shown = String::from_utf8_lossy(packet);
        assert_eq!(xmp.text(DC, "title").as_deref(), Some("New <&>"), "{shown}");
        assert_eq!(xmp.text(ISCC, "name").as_deref(), Some("New <&>"), "{shown}");
        assert_eq!(xmp.text(DC, "subject").as_deref(), Some("a, b"), "{shown}");
        let url = xmp.first_item_field(PLUS, "Licensor", "LicensorURL");
        assert_eq!(url.as_deref(), Some("https://example.com/?a&b"), "{shown}");
        assert!(!shown.contains("Old"), "{shown}");
    }

    #[test]
    fn a_new_packet_is_read_back_and_writing_again_changes_nothing() {
        for packet in [None, Some(&b"no packet"[..]), Some(b"<a><b></a>")] {
            let written = write(packet, &VALUES);
            assert_written(&written);
            assert_eq!(write(Some(&written), &VALUES), written);
        }
    }

    #[test]
    fn old_values_are_replaced_in_every_form_and_others_are_kept() {
        let packet = r#"<?xpacket begin='' id='x'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
            <r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:d='http://purl.org/dc/elements/1.1/'>
            <r:Description r:about='' xmlns:i='http://purl.org/iscc/schema/' i:name='Old' i:meta='kept'>
            <d:title><r:Alt><r:li xml:lang='de'>Old</r:li></r:Alt></d:title><d:source>kept &amp; safe</d:source>
            </r:Description>
            <r:Description r:about='' d:subject='Old'/></r:RDF></x:xmpmeta><?xpacket end='w'?>"#;
        let written = write(Some(packet.as_bytes()), &VALUES);
        assert_written(&written);
        let xmp = Xmp::parse(&written);
        assert_eq!(xmp.text(ISCC, "meta").as_deref(), Some("kept"));
        assert_eq!(xmp.text(DC, "source").as_deref(), Some("kept & safe"));
        assert_eq!(write(Some(&written), &VALUES), written);
    }
}
