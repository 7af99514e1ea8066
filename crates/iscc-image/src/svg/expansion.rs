//! Counts the nodes that references expand to, before they are expanded.
//!
//! A mask whose ten shapes have a mask whose ten shapes have a mask, and so on, is short as markup. The renderer's tree has
//! a copy of each, and needs the memory for them. References by style sheets are not counted: the limits of the worker
//! hold for them.

use std::collections::HashMap;

use resvg::usvg::roxmltree::{Attribute, Document, Node, NodeId, ParsingOptions};

use super::{SvgError, paths};

/// Maximum number of nodes of a document with all references expanded. A node takes some hundred bytes.
const NODES_MAX: f64 = 2_000_000.0;
/// Maximum depth of elements and references in each other. The renderer calls itself for each, up to five times, and the
/// stack of a thread has 2 MiB.
const DEPTH_MAX: usize = 256;
/// Maximum number of pairs of an element and a selector of a style sheet: each one is tried for each element.
const STYLED_MAX: usize = 100_000_000;
/// Shortest path data of a vertex, which may have a marker.
const VERTEX_CHARS: f64 = 2.0;
/// Elements that are kept once, however often they are referred to.
const SHARED: [&str; 3] = ["linearGradient", "radialGradient", "filter"];

/// Parses a document whose references expand to a tree of a usual size.
pub fn parse(text: &str) -> Result<Document<'_>, SvgError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| SvgError::Invalid(error.to_string()))?;
    if is_styled_too_often(&document)
        || paths::have_long_gaps(&document)
        || expanded_nodes(&document) > NODES_MAX
    {
        return Err(SvgError::TooCostly);
    }
    Ok(document)
}

/// Whether there are more than [`STYLED_MAX`] pairs of elements and selectors.
fn is_styled_too_often(document: &Document<'_>) -> bool {
    let elements = document.descendants().filter(Node::is_element);
    let sheets = elements.clone().filter(|node| node.tag_name().name() == "style");
    let texts = sheets.flat_map(|sheet| sheet.children()).filter_map(|node| node.text());
    // A rule has a bracket, and a comma between its selectors.
    let selectors: usize = texts.map(|text| text.matches(['{', ',']).count()).sum();
    selectors.saturating_mul(elements.count()) > STYLED_MAX
}

fn expanded_nodes(document: &Document<'_>) -> f64 {
    let identified = |node: Node<'_, '_>| Some((node.attribute("id")?.to_owned(), node.id()));
    let ids = document.descendants().filter_map(identified).collect();
    Counter { document, ids, known: HashMap::new() }.size(document.root_element(), 0).nodes
}

#[derive(Clone, Copy)]
struct Size {
    nodes: f64,
    /// Characters of path data.
    data: f64,
}

struct Counter<'a, 'input> {
    document: &'a Document<'input>,
    ids: HashMap<String, NodeId>,
    known: HashMap<NodeId, Size>,
}

impl Counter<'_, '_> {
    fn size(&mut self, node: Node<'_, '_>, depth: usize) -> Size {
        if let Some(size) = self.known.get(&node.id()) {
            return *size;
        }
        if depth > DEPTH_MAX {
            return Size { nodes: f64::INFINITY, data: 0.0 };
        }
        // The renderer ignores references to themselves.
        self.known.insert(node.id(), Size { nodes: 0.0, data: 0.0 });
        let data = ["d", "points"].iter().filter_map(|name| node.attribute(*name));
        let mut size = Size { nodes: 1.0, data: data.map(str::len).sum::<usize>() as f64 };
        for child in node.children().filter(Node::is_element) {
            let inner = self.size(child, depth + 1);
            size = Size { nodes: size.nodes + inner.nodes, data: size.data + inner.data };
        }
        for attribute in node.attributes() {
            let markers = if is_marker(&attribute) { 1.0 + size.data / VERTEX_CHARS } else { 1.0 };
            for id in references(&attribute) {
                size.nodes += markers * self.target(id, depth);
            }
        }
        self.known.insert(node.id(), size);
        size
    }

    fn target(&mut self, id: &str, depth: usize) -> f64 {
        let node = self.ids.get(id).and_then(|&id| self.document.get_node(id));
        match node {
            Some(node) if !SHARED.contains(&node.tag_name().name()) => {
                self.size(node, depth + 1).nodes
            }
            _ => 0.0,
        }
    }
}

fn is_marker(attribute: &Attribute<'_, '_>) -> bool {
    attribute.name().starts_with("marker") || attribute.value().contains("marker")
}

/// Ids in `href="#id"` and `url(#id)`.
fn references<'a>(attribute: &Attribute<'a, '_>) -> impl Iterator<Item = &'a str> + use<'a> {
    let value = attribute.value();
    let href = (attribute.name() == "href").then(|| value.trim().strip_prefix('#')).flatten();
    let quotes = ['\'', '"', ' '];
    let by_url = value.split("url(").skip(1).filter_map(move |rest| {
        let target = rest.split(')').next()?.trim_matches(quotes);
        target.strip_prefix('#')
    });
    href.into_iter().chain(by_url)
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_MAX, NODES_MAX, SvgError, parse};

    /// Ten shapes, each of which refers to the next definition, on each of `levels`.
    fn nested(levels: usize, open: &str, close: &str, reference: &str) -> String {
        let definitions: String = (0..levels)
            .map(|level| {
                let shape =
                    format!("<rect {}/>", reference.replace("ID", &format!("m{}", level + 1)));
                format!("<{open} id=\"m{level}\">{}</{close}>", shape.repeat(10))
            })
            .collect();
        let first = reference.replace("ID", "m0");
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{definitions}<rect {first}/></svg>"#
        )
    }

    #[test]
    fn references_in_references_are_refused() {
        for reference in [
            r#"mask="url(#ID)""#,
            r#"clip-path="url('#ID')""#,
            r#"style="fill:red;mask:url(#ID)""#,
            r##"href="#ID""##,
            r##"xlink:href="#ID""##,
        ] {
            let bomb = nested(12, "mask", "mask", reference);
            assert!(matches!(parse(&bomb), Err(SvgError::TooCostly)), "{reference}");
            assert!(parse(&nested(3, "mask", "mask", reference)).is_ok(), "{reference}");
        }
    }

    #[test]
    fn selectors_count_for_every_element() {
        let styled = |elements: usize, rule: &str| {
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg"><style>{}</style>{}</svg>"#,
                rule.repeat(10_000),
                "<g/>".repeat(elements - 2)
            )
        };
        assert!(parse(&styled(10_000, ".a .b{fill:red}")).is_ok());
        assert!(matches!(parse(&styled(10_001, ".a .b{fill:red}")), Err(SvgError::TooCostly)));
        assert!(matches!(parse(&styled(5001, ".a,.b{fill:red}")), Err(SvgError::TooCostly)));
    }

    #[test]
    fn markers_count_for_every_vertex() {
        let path = |vertices: usize| {
            let marker = format!(r#"<marker id="m">{}</marker>"#, "<path/>".repeat(1000));
            let data = "h1".repeat(vertices);
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg">{marker}<g marker-mid="url(#m)"><path d="M0 0{data}"/></g></svg>"#
            )
        };
        assert!(matches!(parse(&path(10_000)), Err(SvgError::TooCostly)));
        assert!(parse(&path(100)).is_ok());
    }

    #[test]
    fn cycles_and_depth_end() {
        let cycle =
            r##"<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><use href="#a"/></g></svg>"##;
        assert!(parse(cycle).is_ok());
        let chain: String =
            (0..5000).map(|at| format!("<use id=\"u{at}\" href=\"#u{}\"/>", at + 1)).collect();
        let deep = format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{chain}</svg>"#);
        assert!(matches!(parse(&deep), Err(SvgError::TooCostly)));
        let groups = |depth: usize| {
            let (open, close) = ("<g>".repeat(depth), "</g>".repeat(depth));
            format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{open}{close}</svg>"#)
        };
        assert!(parse(&groups(DEPTH_MAX)).is_ok());
        assert!(matches!(parse(&groups(DEPTH_MAX + 1)), Err(SvgError::TooCostly)));
    }

    #[test]
    fn gradients_are_shared() {
        let stops = "<stop/>".repeat(1000);
        let shapes = r#"<rect fill="url(#g)"/>"#.repeat(5000);
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg"><linearGradient id="g">{stops}</linearGradient>{shapes}</svg>"#
        );
        assert!(parse(&svg).is_ok());
    }

    #[test]
    fn nodes_are_counted_to_the_limit() {
        const GROUP: usize = 1000;
        const USES: usize = 1997;
        let drawing = |more: usize| {
            let group = format!(r#"<g id="a">{}</g>"#, "<rect/>".repeat(GROUP - 1));
            let uses = r##"<use href="#a"/>"##.repeat(USES);
            let rest = "<rect/>".repeat(more);
            format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{group}{uses}{rest}</svg>"#)
        };
        let left = NODES_MAX as usize - (1 + GROUP + USES * (GROUP + 1));
        assert!(parse(&drawing(left)).is_ok());
        assert!(matches!(parse(&drawing(left + 1)), Err(SvgError::TooCostly)));
    }
}
