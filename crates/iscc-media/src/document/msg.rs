//! Mail of Outlook, `.msg` ([MS-OXMSG]): the text of its body, with subject and sender as properties.

use super::ole::{Ole, latin1, utf16};
use super::properties::Properties;
use super::{Document, DocumentError};
use crate::text::html;

/// Numbers of properties in the names of streams ([MS-OXPROPS]).
const SUBJECT: &str = "0037";
const SENDER: &str = "0C1A";
const BODY: &str = "1000";
const BODY_HTML: &str = "1013";

pub fn read(mut ole: Ole<'_>) -> Result<Document, DocumentError> {
    let mut properties = Properties::default();
    if let Some(subject) = string(&mut ole, SUBJECT)? {
        properties.add("dc:title", &subject);
    }
    if let Some(sender) = string(&mut ole, SENDER)? {
        properties.add("dc:creator", &sender);
    }
    let text = match string(&mut ole, BODY)? {
        Some(body) => body,
        None => match ole.optional(&format!("/__substg1.0_{BODY_HTML}0102"))? {
            Some(body) => html::extract(&html::decode(&body)).text,
            None => String::new(),
        },
    };
    Ok(Document { text, properties, cover: None })
}

/// A property as text: UTF-16, or 8-bit characters in old files.
fn string(ole: &mut Ole<'_>, number: &str) -> Result<Option<String>, DocumentError> {
    if let Some(bytes) = ole.optional(&format!("/__substg1.0_{number}001F"))? {
        return Ok(Some(utf16(&bytes)));
    }
    let bytes = ole.optional(&format!("/__substg1.0_{number}001E"))?;
    Ok(bytes.map(|bytes| latin1(&bytes)))
}
