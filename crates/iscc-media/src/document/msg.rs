//! Mail of Outlook, `.msg` ([MS-OXMSG]): the text of its body, with subject and sender as properties.

mod compressed;

use super::ole::{Ole, u32_at, utf16};
use super::properties::Properties;
use super::rtf::charset::of_code_page;
use super::{Document, DocumentError, rtf};
use crate::text::html;

/// Numbers of properties in the names of streams ([MS-OXPROPS]).
const SUBJECT: &str = "0037";
const SENDER: &str = "0C1A";
const BODY: &str = "1000";
const BODY_RTF: &str = "1009";
const BODY_HTML: &str = "1013";

/// Properties with a code page in the list of properties: number, then the type of 32-bit integers.
const MESSAGE_CODE_PAGE: u32 = 0x3FFD_0003;
const INTERNET_CODE_PAGE: u32 = 0x3FDE_0003;

/// The longest text of a body in RTF.
const RTF_BYTES_MAX: usize = 64 << 20;

pub fn read(mut ole: Ole<'_>) -> Result<Document, DocumentError> {
    let mut mail = Mail { code_page: code_page(&mut ole)?, ole };
    let mut properties = Properties::default();
    if let Some(subject) = mail.string(SUBJECT)? {
        properties.add("dc:title", &subject);
    }
    if let Some(sender) = mail.string(SENDER)? {
        properties.add("dc:creator", &sender);
    }
    let text = match mail.string(BODY)?.filter(|body| !body.trim().is_empty()) {
        Some(body) => body,
        None => mail.rich_text()?,
    };
    Ok(Document { text, properties, cover: None })
}

struct Mail<'a> {
    ole: Ole<'a>,
    /// Of 8-bit strings.
    code_page: i32,
}

impl Mail<'_> {
    /// A property as text: UTF-16, or 8-bit characters of the mail's code page in old files.
    fn string(&mut self, number: &str) -> Result<Option<String>, DocumentError> {
        if let Some(bytes) = self.ole.optional(&format!("/__substg1.0_{number}001F"))? {
            return Ok(Some(utf16(&bytes)));
        }
        let bytes = self.ole.optional(&format!("/__substg1.0_{number}001E"))?;
        let encoding = of_code_page(self.code_page);
        Ok(bytes.map(|bytes| encoding.decode_without_bom_handling(&bytes).0.into_owned()))
    }

    /// The body of mail without plain text; empty for mail without a body.
    fn rich_text(&mut self) -> Result<String, DocumentError> {
        if let Some(body) = self.ole.optional(&format!("/__substg1.0_{BODY_HTML}0102"))? {
            return Ok(html::extract(&html::decode(&body)).text);
        }
        if let Some(body) = self.string(BODY_HTML)? {
            return Ok(html::extract(&body).text);
        }
        let body = self.ole.optional(&format!("/__substg1.0_{BODY_RTF}0102"))?;
        let body = body.and_then(|body| compressed::decompress(&body, RTF_BYTES_MAX));
        Ok(body.and_then(|body| rtf::read(&body).ok()).map(|it| it.text).unwrap_or_default())
    }
}

/// The code page of 8-bit strings; windows-1252 if the mail does not say.
fn code_page(ole: &mut Ole<'_>) -> Result<i32, DocumentError> {
    const HEADER_BYTES: usize = 32;
    const ENTRY_BYTES: usize = 16;
    let list = ole.optional("/__properties_version1.0")?.unwrap_or_default();
    let value_of = |tag: u32| {
        let mut entries = (HEADER_BYTES..list.len()).step_by(ENTRY_BYTES);
        let at = entries.find(|at| u32_at(&list, *at) == Some(tag))?;
        i32::try_from(u32_at(&list, at + 8)?).ok()
    };
    let found = value_of(MESSAGE_CODE_PAGE).or_else(|| value_of(INTERNET_CODE_PAGE));
    Ok(found.unwrap_or(1252))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::super::container::Budget;
    use super::super::ole;
    use super::*;

    /// Mail with the given properties of 8-bit strings.
    fn mail(code_page: i32, strings: &[(&str, &[u8])]) -> Document {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        let mut list = vec![0; 32];
        list.extend([MESSAGE_CODE_PAGE.to_le_bytes(), [6, 0, 0, 0]].concat());
        list.extend([code_page.to_le_bytes(), [0; 4]].concat());
        file.create_stream("/__properties_version1.0").unwrap().write_all(&list).unwrap();
        for (number, bytes) in strings {
            let path = format!("/__substg1.0_{number}001E");
            file.create_stream(path).unwrap().write_all(bytes).unwrap();
        }
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        ole::read(&bytes, &mut Budget::default()).unwrap()
    }

    #[test]
    fn strings_of_8_bits_have_the_code_page_of_the_mail() {
        let document = mail(1251, &[(BODY, b"\xc4\xee\xe3\xee\xe2\xee\xf0"), (SUBJECT, b"\xc0")]);
        assert_eq!(document.text, "Договор");
        assert_eq!(document.properties.title.as_deref(), Some("А"));
        assert_eq!(mail(932, &[(BODY, b"\x8c_\x96\xf1")]).text, "契約");
        assert_eq!(mail(65_001, &[(BODY, "Prüfung".as_bytes())]).text, "Prüfung");
        assert_eq!(mail(0, &[(BODY, b"\x80 5")]).text, "€ 5");
    }

    #[test]
    fn rich_text_counts_if_the_plain_text_is_blank() {
        assert_eq!(mail(0, &[(BODY, b"\r\n"), (BODY_HTML, b"<p>rich</p>")]).text.trim(), "rich");
        assert_eq!(mail(0, &[(BODY, b" ")]).text, "");
    }
}
