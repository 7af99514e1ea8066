//! RSS and Atom feeds. Like the reference's extractor, which reads title and description of the feed
//! and of its entries, but no full content, authors and dates.

use quick_xml::escape::escape;

use super::Extracted;
use super::xml::{Element, Piece, for_each_piece};
use iscc_media::metadata::text::Keys;

/// Extracts the text of a feed, up to the first error. `None` for XML that is not a feed.
pub fn extract(xml: &str) -> Option<Extracted> {
    let mut feed: Option<Feed> = None;
    for_each_piece(xml, |piece| match &mut feed {
        Some(feed) => {
            feed.visit(&piece);
            true
        }
        None => match piece {
            Piece::Text(_) | Piece::Close => true,
            Piece::Open(root) | Piece::Empty(root) => {
                feed = Feed::of(&root);
                feed.is_some()
            }
        },
    });
    Some(feed?.extracted())
}

/// Format of a feed by its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// RSS. Since 0.94, an entry's identifier is its link unless it says otherwise.
    Rss { has_links_in_identifiers: bool },
    /// Atom 1.0 (RFC 4287).
    Atom,
    /// Atom 0.3.
    OldAtom,
}

impl Format {
    fn of(root: &Element<'_>) -> Option<Self> {
        match (root.namespace, root.local) {
            (_, "rss") => {
                let version = root.attribute("version").unwrap_or_default();
                let has_links_in_identifiers = !["0.91", "0.92", "0.93"].contains(&version.trim());
                Some(Self::Rss { has_links_in_identifiers })
            }
            ("http://www.w3.org/2005/Atom", "feed" | "entry") => Some(Self::Atom),
            ("http://purl.org/atom/ns#", "feed") => Some(Self::OldAtom),
            _ => None,
        }
    }

    /// Elements around the feed's title.
    fn depth(self) -> usize {
        if matches!(self, Self::Rss { .. }) { 2 } else { 1 }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Rss { .. } => "description",
            Self::Atom => "subtitle",
            Self::OldAtom => "tagline",
        }
    }

    fn entry(self) -> &'static str {
        if matches!(self, Self::Rss { .. }) { "item" } else { "entry" }
    }

    fn entry_description(self) -> &'static str {
        if matches!(self, Self::Rss { .. }) { "description" } else { "summary" }
    }

    /// Whether the element makes its entry one with a link. The extractor skips entries without one.
    fn is_link(self, element: &Element<'_>) -> bool {
        let rel = || element.attribute("rel");
        match (self, element.local) {
            (Self::Rss { .. }, "link") => true,
            (Self::Rss { has_links_in_identifiers }, "guid") => {
                let names_link = element.attribute("isPermaLink");
                has_links_in_identifiers
                    && names_link.is_none_or(|it| it.eq_ignore_ascii_case("true"))
            }
            (Self::Atom, "link") => {
                let is_alternate = rel().is_none_or(|rel| rel.is_empty() || rel == "alternate");
                is_alternate && element.attribute("href").is_some()
            }
            (Self::OldAtom, "link") => {
                rel().as_deref() == Some("alternate") && element.attribute("href").is_some()
            }
            _ => false,
        }
    }
}

/// Title and description of a feed or entry. The first of each counts.
#[derive(Debug, Default)]
struct Heading {
    title: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    Description,
}

/// Text of an element that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Its own text.
    Own,
    /// Its own text, and that of elements in it as markup.
    OwnAndNested,
    /// All text as markup.
    Markup,
}

/// An element whose text is being read.
#[derive(Debug)]
struct Field {
    part: Part,
    content: Content,
    depth: usize,
    value: String,
}

#[derive(Debug)]
struct Feed {
    format: Format,
    namespace: String,
    heading: Heading,
    /// Text of the entries so far.
    entries: String,
    /// The entry that is open, and whether it has a link.
    entry: Option<(Heading, bool)>,
    field: Option<Field>,
    /// Open elements.
    depth: usize,
    is_in_channel: bool,
}

impl Feed {
    fn of(root: &Element<'_>) -> Option<Self> {
        let format = Format::of(root)?;
        Some(Self {
            format,
            namespace: root.namespace.to_owned(),
            heading: Heading::default(),
            entries: String::new(),
            entry: None,
            field: None,
            depth: 1,
            is_in_channel: format.depth() == 1,
        })
    }

    fn visit(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Open(element) => self.open(element),
            Piece::Empty(element) => {
                self.open(element);
                self.close();
            }
            Piece::Close => self.close(),
            Piece::Text(text) => self.push(text),
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        let depth = self.depth;
        self.depth += 1;
        if self.field.is_some() || element.namespace != self.namespace {
            return;
        }
        let format = self.format;
        let part = |description: &str| match element.local {
            "title" => Some(Part::Title),
            local if local == description => Some(Part::Description),
            _ => None,
        };
        if depth < format.depth() {
            self.is_in_channel = element.local == "channel";
            return;
        }
        if !self.is_in_channel {
            return;
        }
        if depth == format.depth() {
            if element.local == format.entry() {
                self.entry = Some(Default::default());
            } else if let Some(part) = part(format.description()) {
                self.read(part, depth, element);
            }
        } else if depth == format.depth() + 1
            && let Some((_, is_linked)) = &mut self.entry
        {
            *is_linked |= format.is_link(element);
            if let Some(part) = part(format.entry_description()) {
                self.read(part, depth, element);
            }
        }
    }

    fn read(&mut self, part: Part, depth: usize, element: &Element<'_>) {
        let content = match self.format {
            Format::Rss { .. } if part == Part::Description && self.entry.is_some() => {
                Content::OwnAndNested
            }
            Format::Atom if element.attribute("type").as_deref() == Some("xhtml") => {
                Content::Markup
            }
            _ => Content::Own,
        };
        self.field = Some(Field { part, content, depth, value: String::new() });
    }

    fn push(&mut self, text: &str) {
        let Some(field) = &mut self.field else { return };
        let is_own = self.depth == field.depth + 1;
        match field.content {
            Content::Own | Content::OwnAndNested if is_own => field.value.push_str(text),
            Content::Own => {}
            Content::OwnAndNested | Content::Markup => field.value.push_str(&escape(text)),
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.field.as_ref().is_some_and(|field| field.depth == self.depth) {
            self.end_field();
        }
        if self.depth == self.format.depth() {
            self.end_entry();
        }
    }

    fn end_field(&mut self) {
        let Some(Field { part, value, .. }) = self.field.take() else { return };
        let heading = self.entry.as_mut().map_or(&mut self.heading, |(heading, _)| heading);
        let place = match part {
            Part::Title => &mut heading.title,
            Part::Description => &mut heading.description,
        };
        place.get_or_insert_with(|| without_tags(&value));
    }

    fn end_entry(&mut self) {
        let Some((heading, true)) = self.entry.take() else { return };
        self.entries.push('\t');
        self.entries.push_str(&heading.title.unwrap_or_default());
        if let Some(description) = heading.description {
            self.entries.push('\n');
            self.entries.push_str(&description);
        }
        self.entries.push('\n');
    }

    fn extracted(mut self) -> Extracted {
        self.end_field();
        self.end_entry();
        let mut keys = Keys::default();
        let mut text = String::new();
        let heading =
            [("dc:title", self.heading.title), ("dc:description", self.heading.description)];
        for (key, value) in heading {
            let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
            keys.put(key, &value);
            text.push_str(&value);
            text.push('\n');
        }
        text.push_str(&self.entries);
        text.push('\n');
        Extracted { text, metadata: keys.metadata(), ..Extracted::default() }
    }
}

/// The text without what looks like tags, trimmed. References of HTML stay, as in the reference.
fn without_tags(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, tag)) = rest.split_once('<')
        && let Some((_, after)) = tag.split_once('>')
    {
        text.push_str(before);
        rest = after;
    }
    text.push_str(rest);
    text.trim_matches(|character| character <= ' ').to_owned()
}

#[cfg(test)]
mod tests {
    use super::extract;

    fn rss(attributes: &str, channel: &str) -> String {
        extract(&format!("<rss {attributes}><channel>{channel}</channel></rss>")).unwrap().text
    }

    fn atom(feed: &str) -> String {
        let xml = format!("<feed xmlns='http://www.w3.org/2005/Atom'>{feed}</feed>");
        extract(&xml).unwrap().text
    }

    // The expected texts are those of iscc-sdk 0.9.7.

    #[test]
    fn titles_and_descriptions_of_rss() {
        let xml =
            "<?xml version='1.0'?><!-- c --><rss version='2.0'><channel><image><title>no</title>
            </image><title> Feed &lt;b&gt;T&lt;/b&gt; &amp;amp; x\n</title><title>2</title>
            <description>D</description><item><title>One <b>no</b> t</title><link/>
            <description><![CDATA[<p>S</p>]]> <i>n</i></description><pubDate>no</pubDate></item>
            <item><link>l</link></item></channel></rss>";
        let found = extract(xml).unwrap();
        assert_eq!(found.text, "Feed T &amp; x\nD\n\tOne  t\nS n\n\t\n\n");
        assert_eq!(found.metadata.name.as_deref(), Some("Feed T & x"));
        assert_eq!(found.metadata.description.as_deref(), Some("D"));
    }

    #[test]
    fn entries_of_rss_need_a_link() {
        let items = "<item><title>1</title></item><item><title>2</title><guid>g</guid></item>
            <item><title>3</title><guid isPermaLink='false'>g</guid></item>
            <item><title>4</title><l:link xmlns:l='l'/></item>";
        assert_eq!(rss("version='2.0'", items), "\t2\n\n");
        assert_eq!(rss("version='0.92'", items), "\n");
        assert_eq!(rss("xmlns='u'", "<item><link/><title>1</title></item>"), "\t1\n\n");
    }

    #[test]
    fn titles_and_summaries_of_atom() {
        let xhtml =
            "type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>X <b>y</b> &amp; z</div>";
        let entry = format!(
            "<title>T</title><subtitle>S</subtitle><entry><title {xhtml}</title><link href='l'/>
            <summary type='html'>&lt;p&gt;s</summary><content>no</content></entry>"
        );
        assert_eq!(atom(&entry), "T\nS\n\tX y &amp; z\ns\n\n");
        let old = "<feed xmlns='http://purl.org/atom/ns#'><title>T</title><tagline>S</tagline>
            <entry><title>1</title><link href='l'/></entry>
            <entry><title>2</title><link rel='alternate' href='l'/></entry></feed>";
        assert_eq!(extract(old).unwrap().text, "T\nS\n\t2\n\n");
    }

    #[test]
    fn entries_of_atom_need_an_alternate_link() {
        let entry =
            |link: &str| format!("<entry>{link}<title>1</title><summary>s</summary></entry>");
        for link in
            ["<link href='l'/>", "<link rel='' href='l'/>", "<link rel='alternate' href='l'/>"]
        {
            assert_eq!(atom(&entry(link)), "\t1\ns\n\n", "{link}");
        }
        for link in ["", "<link/>", "<link rel='self' href='l'/>"] {
            assert_eq!(atom(&entry(link)), "\n", "{link}");
        }
    }

    #[test]
    fn broken_feeds_are_read_partially() {
        let broken =
            "<rss><channel><title>T</title><item><link>l</link><title>1</title><description>d <";
        assert_eq!(extract(broken).unwrap().text, "T\n\t1\nd \n\n".replace("d ", "d"));
        assert_eq!(extract("<rss/></a></b>").unwrap().text, "\n");
    }

    #[test]
    fn other_xml_is_not_a_feed() {
        for xml in ["", "text", "<a><rss/></a>", "<feed><title>T</title></feed>", "<RSS/>"] {
            assert!(extract(xml).is_none(), "{xml}");
        }
    }
}
