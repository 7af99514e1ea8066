//! The part of an XML document before its root element: declaration, comments, document type (XML
//! 1.0, 2.8).

/// Facts from the prolog of a document.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Prolog {
    /// Offset of the root element's tag; `None` if the document has no valid prolog.
    pub root: Option<usize>,
    /// Whether the document type declares entities.
    pub has_entities: bool,
}

impl Prolog {
    /// Reads `xml` up to its root element.
    pub fn of(xml: &[u8]) -> Self {
        let mut prolog = Self::default();
        prolog.root = prolog.read(xml);
        prolog
    }

    fn read(&mut self, xml: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            at += xml[at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
            let rest = &xml[at..];
            at += match rest {
                [b'<', b'!' | b'?', ..] if begins(rest, b"<!doctype") => self.doctype(rest)?,
                [b'<', b'!' | b'?', ..] => ignored_length(rest)?,
                [b'<', ..] => return Some(at),
                _ => return None,
            };
        }
    }

    /// Reads a document type declaration; returns its length.
    fn doctype(&mut self, xml: &[u8]) -> Option<usize> {
        let mut at = 1;
        let mut in_subset = false;
        loop {
            let rest = &xml[at..];
            at += match rest.first()? {
                quote @ (b'"' | b'\'') => 2 + rest[1..].iter().position(|byte| byte == quote)?,
                b'<' if begins(rest, b"<!--") || begins(rest, b"<?") => ignored_length(rest)?,
                b'<' => {
                    self.has_entities |= begins(rest, b"<!entity");
                    1
                }
                bracket @ (b'[' | b']') => {
                    in_subset = *bracket == b'[';
                    1
                }
                b'>' if !in_subset => return Some(at + 1),
                _ => 1,
            };
        }
    }
}

/// Length of a comment or processing instruction; `None` for other markup and without an end.
fn ignored_length(xml: &[u8]) -> Option<usize> {
    let end: &[u8] = match xml {
        [b'<', b'!', b'-', b'-', ..] => b"-->",
        [b'<', b'?', ..] => b"?>",
        _ => return None,
    };
    Some(xml.windows(end.len()).position(|window| window == end)? + end.len())
}

fn begins(xml: &[u8], with: &[u8]) -> bool {
    xml.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
}

#[cfg(test)]
mod tests {
    use super::Prolog;

    fn root(xml: &str) -> Option<&str> {
        Prolog::of(xml.as_bytes()).root.map(|at| &xml[at..])
    }

    #[test]
    fn the_root_is_the_first_element() {
        for before in [
            "",
            " \r\n",
            "<?xml version='1.0'?>",
            "<!-- <svg> > -->\n<?x <svg> ?>",
            "<!DOCTYPE svg>",
            "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"a>b.dtd\">",
            "<!DOCTYPE svg [ <!-- ]> ' --> <!ATTLIST a b CDATA ']>'> <?x ]> ?> ]  >",
        ] {
            assert_eq!(root(&format!("{before}<svg a='<'/>")), Some("<svg a='<'/>"), "{before}");
            assert!(!Prolog::of(before.as_bytes()).has_entities, "{before}");
        }
    }

    #[test]
    fn invalid_prologs_have_no_root() {
        for other in ["", "words <svg/>", "<!-- <svg/>", "<?xml <svg/>", "<![CDATA[<svg/>]]>"] {
            assert_eq!(root(other), None, "{other}");
        }
    }

    #[test]
    fn only_declarations_declare_entities() {
        let declares = |xml: &str| Prolog::of(xml.as_bytes()).has_entities;
        assert!(declares("<!DOCTYPE a [<!ENTITY e 'x'>]><a/>"));
        assert!(declares("<!-- a --> <!doctype a [<!ATTLIST a b CDATA '>'> <!Entity % e 'x'>"));
        assert!(!declares("<!-- <!DOCTYPE a [<!ENTITY e 'x'>]> --><a/>"));
        assert!(!declares("<!DOCTYPE a [<!-- <!ENTITY e 'x'> -->]><a/>"));
        assert!(!declares("<a><![CDATA[<!ENTITY e 'x'>]]><!-- <!ENTITY --></a>"));
    }
}
