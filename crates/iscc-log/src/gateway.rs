//! Gateway templates of declarations.

/// Longest address, in code points.
const ADDRESS_CHARS_MAX: usize = 2048;

/// What a template can name.
#[derive(Debug, Clone, Copy)]
pub struct Variables<'a> {
    /// Text of the ISCC-ID.
    pub iscc_id: &'a str,
    /// Text of the ISCC-CODE.
    pub iscc_code: &'a str,
    /// The note's datahash.
    pub datahash: &'a str,
}

/// Replaces `{name}`, `{/name}` and `{.name}` by the value, with `/` or `.` before it. Everything else stays.
///
/// ISCC-ID and ISCC-CODE are written in lower case and without `ISCC:`. One pass: values are not templates.
pub fn expand(template: &str, variables: &Variables) -> String {
    let bare = |code: &str| code.strip_prefix("ISCC:").unwrap_or(code).to_ascii_lowercase();
    let values = [
        ("iscc_id", bare(variables.iscc_id)),
        ("iscc_code", bare(variables.iscc_code)),
        ("datahash", variables.datahash.to_owned()),
    ];
    let mut address = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        address.push_str(&rest[..open]);
        rest = &rest[open..];
        let Some((prefix, value, length)) = expression(rest, &values) else {
            address.push('{');
            rest = &rest[1..];
            continue;
        };
        address.extend(prefix);
        address.push_str(value);
        rest = &rest[length..];
    }
    address.push_str(rest);
    address
}

/// The prefix, value and length of the expression that `text` starts with.
fn expression<'v>(
    text: &str,
    values: &'v [(&str, String)],
) -> Option<(Option<char>, &'v str, usize)> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let prefix = inside.chars().next().filter(|first| matches!(first, '/' | '.'));
    let name = &inside[usize::from(prefix.is_some())..];
    let (_, value) = values.iter().find(|(known, _)| *known == name)?;
    Some((prefix, value, inside.len() + 2))
}

/// Whether a declared gateway can be stored: `http(s)://` and more, without white space and control characters.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty())
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        && text.chars().count() <= ADDRESS_CHARS_MAX
}
