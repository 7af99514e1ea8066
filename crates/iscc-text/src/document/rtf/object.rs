//! Embedded objects of RTF: the form of OLE 1.0 ([MS-OLEDS] 2.2).

use super::super::DocumentError;
use super::super::container::Budget;
use super::super::object::{Held, packaged};
use super::super::ole::{Ole, slice, u32_at, utf16};

/// An embedded file, with its name if the object has one.
pub struct Object {
    pub name: Option<String>,
    pub content: Vec<u8>,
}

/// Reads the data of an object; `None` for links and damaged objects.
pub fn read(data: &[u8], budget: &mut Budget) -> Result<Option<Object>, DocumentError> {
    let Some((class, bytes)) = native(data) else { return Ok(None) };
    if class.eq_ignore_ascii_case(b"package") {
        return Ok(package(bytes));
    }
    let Ok(mut ole) = Ole::open(bytes, budget) else {
        return Ok(Some(Object { name: None, content: bytes.to_vec() }));
    };
    let content = match Held::of(&mut ole)? {
        Held::Native { content, .. } | Held::Contents(content) | Held::Package(content) => content,
        Held::Document(_) | Held::Graph | Held::Link | Held::Other(_) => bytes.to_vec(),
    };
    Ok(Some(Object { name: None, content }))
}

/// Class and data of an embedded object.
fn native(data: &[u8]) -> Option<(&[u8], &[u8])> {
    const EMBEDDED: u32 = 2;
    if u32_at(data, 4)? != EMBEDDED {
        return None;
    }
    let mut at = 8;
    let mut string = || {
        let length = u32_at(data, at)? as usize;
        let text = slice(data, at + 4, length)?;
        at += 4 + length;
        Some(text.strip_suffix(&[0]).unwrap_or(text))
    };
    let class = string()?;
    string()?;
    string()?;
    let length = u32_at(data, at)? as usize;
    let bytes = data.get(at + 4..)?;
    Some((class, &bytes[..length.min(bytes.len())]))
}

/// The file in an object of the packager. Its name in Unicode follows its content.
fn package(bytes: &[u8]) -> Option<Object> {
    let Held::Native { label, content } = packaged(bytes)? else { return None };
    let path = after(bytes, &content).and_then(|rest| {
        let count = u32_at(rest, 0)? as usize;
        Some(utf16(slice(rest, 4, count.checked_mul(2)?)?)).filter(|path| !path.is_empty())
    });
    let name = path.unwrap_or(label);
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Some(Object { name: Some(name), content })
}

/// What follows the content in a package.
fn after<'a>(bytes: &'a [u8], content: &[u8]) -> Option<&'a [u8]> {
    let length = (content.len() as u32).to_le_bytes();
    let at = memchr::memmem::find(bytes, &[&length, content].concat())?;
    bytes.get(at + 4 + content.len()..)
}
