//! Mail of Outlook, `.msg` ([MS-OXMSG]): the text of its body and of attached documents, with subject and sender as
//! properties.

mod compressed;

use super::ole::{Ole, u32_at, utf16};
use super::properties::Properties;
use super::rtf::charset::of_code_page;
use super::{DOCUMENT_DEPTH_MAX, Document, DocumentError, attached, rtf};
use crate::text::html;
use iscc_media::mediatype;

/// Numbers of properties in the names of streams ([MS-OXPROPS]).
const SUBJECT: &str = "0037";
const SENDER: &str = "0C1A";
const DISPLAY_BCC: &str = "0E02";
const DISPLAY_CC: &str = "0E03";
const DISPLAY_TO: &str = "0E04";
const BODY: &str = "1000";
const BODY_RTF: &str = "1009";
const BODY_HTML: &str = "1013";
const DISPLAY_NAME: &str = "3001";
const ADDRESS: &str = "3003";
const ATTACHED_DATA: &str = "3701";
const SHORT_FILE_NAME: &str = "3704";
const FILE_NAME: &str = "3707";
const MEDIA_TYPE: &str = "370E";
const SMTP_ADDRESS: &str = "39FE";

/// Properties with a code page in the list of properties: number, then the type of 32-bit integers.
const MESSAGE_CODE_PAGE: u32 = 0x3FFD_0003;
const INTERNET_CODE_PAGE: u32 = 0x3FDE_0003;

/// Start of the names of storages with attachments.
const ATTACHMENT: &str = "__attach_version1.0_#";

/// Maximum attachments of a mail.
const ATTACHMENTS_MAX: usize = 1000;

/// Start of the names of storages with recipients.
const RECIPIENT: &str = "__recip_version1.0_#";

/// Maximum recipients of a mail.
const RECIPIENTS_MAX: usize = 1000;

/// The longest text of a body in RTF.
const RTF_BYTES_MAX: usize = 64 << 20;

pub fn read(ole: &mut Ole<'_>) -> Result<Document, DocumentError> {
    let mut mail = Mail { code_page: code_page(ole)?, ole };
    let mut properties = Properties::default();
    if let Some(subject) = mail.string("", SUBJECT)? {
        properties.add("dc:title", &subject);
    }
    if let Some(sender) = mail.string("", SENDER)? {
        properties.add("dc:creator", &sender);
    }
    let mut text = String::new();
    mail.append("", &mut text)?;
    Ok(Document { text, properties, ..Document::default() })
}

/// The storages of a mail. Attached mail is a storage of the same form inside; the mail itself has the empty path.
struct Mail<'a, 'b> {
    ole: &'a mut Ole<'b>,
    /// Of 8-bit strings.
    code_page: i32,
}

impl Mail<'_, '_> {
    /// Appends the body and the attachments of the mail in a storage.
    fn append(&mut self, storage: &str, text: &mut String) -> Result<(), DocumentError> {
        if self.ole.budget().depth < DOCUMENT_DEPTH_MAX {
            self.append_header(storage, text)?;
        }
        match self.string(storage, BODY)?.filter(|body| !body.trim().is_empty()) {
            Some(body) => text.push_str(&body),
            None => text.push_str(&self.rich_text(storage)?),
        }
        // By their numbers.
        let mut names = self.ole.storages(storage);
        names.sort_unstable();
        let attachments = names.iter().filter(|name| name.starts_with(ATTACHMENT));
        for name in attachments.take(ATTACHMENTS_MAX) {
            self.append_attachment(&format!("{storage}/{name}"), text)?;
        }
        Ok(())
    }

    /// Appends subject, sender and recipients: text of mail inside of another file, whose properties are not those of
    /// the file.
    fn append_header(&mut self, storage: &str, text: &mut String) -> Result<(), DocumentError> {
        if let Some(subject) = self.string(storage, SUBJECT)? {
            text.push_str(&format!("{subject}\n"));
        }
        for (label, number) in
            [("From", SENDER), ("To", DISPLAY_TO), ("Cc", DISPLAY_CC), ("Bcc", DISPLAY_BCC)]
        {
            if let Some(value) = self.string(storage, number)? {
                append_field(label, &value, text);
            }
        }
        let mut names = self.ole.storages(storage);
        names.sort_unstable();
        let mut addresses = Vec::new();
        for name in names.iter().filter(|name| name.starts_with(RECIPIENT)).take(RECIPIENTS_MAX) {
            addresses.extend(self.address(&format!("{storage}/{name}"))?);
        }
        append_field("Recipients", &addresses.join("; "), text);
        Ok(())
    }

    /// The address of the recipient in a storage.
    fn address(&mut self, storage: &str) -> Result<Option<String>, DocumentError> {
        if let Some(address) = self.string(storage, SMTP_ADDRESS)? {
            return Ok(Some(address));
        }
        if let Some(address) = self.string(storage, ADDRESS)? {
            // Exchange has paths, whose last part is the name.
            let start = address.to_ascii_lowercase().find("/cn=").map_or(0, |at| at + 4);
            return Ok(Some(address[start..].to_owned()));
        }
        let name = self.string(storage, DISPLAY_NAME)?;
        Ok(name.filter(|name| name.contains('@')).map(|name| name.trim_matches('\'').to_owned()))
    }

    /// Appends the name and the text of an attachment.
    fn append_attachment(&mut self, storage: &str, text: &mut String) -> Result<(), DocumentError> {
        let mut name = None;
        for number in [FILE_NAME, SHORT_FILE_NAME, DISPLAY_NAME] {
            if name.is_none() {
                name = self.string(storage, number)?.filter(|name| !name.trim().is_empty());
            }
        }
        let name = name.unwrap_or_default();
        text.push('\n');
        text.push_str(&name);
        text.push('\n');
        let mail = format!("{storage}/__substg1.0_{ATTACHED_DATA}000D");
        if self.ole.has_storage(&mail) {
            let Some(depth) = self.ole.budget().depth.checked_sub(1) else { return Ok(()) };
            self.ole.budget().depth = depth;
            let result = self.append(&mail, text);
            self.ole.budget().depth = depth + 1;
            return result;
        }
        let Some(content) = self.binary(storage, ATTACHED_DATA)? else { return Ok(()) };
        let declared = self.string(storage, MEDIA_TYPE)?.filter(|declared| declared.contains('/'));
        let mediatype = match &declared {
            Some(declared) => &declared.to_ascii_lowercase(),
            None => mediatype::inspect(&content, &name).mediatype,
        };
        attached::append(text, mediatype, None, &content, self.ole.budget())
    }

    /// A property as text: UTF-16, or 8-bit characters of the mail's code page in old files.
    fn string(&mut self, storage: &str, number: &str) -> Result<Option<String>, DocumentError> {
        if let Some(bytes) = self.ole.optional(&format!("{storage}/__substg1.0_{number}001F"))? {
            return Ok(Some(without_end(utf16(&bytes))));
        }
        let bytes = self.ole.optional(&format!("{storage}/__substg1.0_{number}001E"))?;
        let encoding = of_code_page(self.code_page);
        let decoded = |bytes: Vec<u8>| encoding.decode_without_bom_handling(&bytes).0.into_owned();
        Ok(bytes.map(decoded).map(without_end))
    }

    fn binary(&mut self, storage: &str, number: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        self.ole.optional(&format!("{storage}/__substg1.0_{number}0102"))
    }

    /// The body of mail without plain text; empty for mail without a body.
    fn rich_text(&mut self, storage: &str) -> Result<String, DocumentError> {
        if let Some(body) = self.binary(storage, BODY_HTML)? {
            return Ok(html::extract(&html::decode(&body)).text);
        }
        if let Some(body) = self.string(storage, BODY_HTML)? {
            return Ok(html::extract(&body).text);
        }
        let body = self.binary(storage, BODY_RTF)?;
        let body = body.and_then(|body| compressed::decompress(&body, RTF_BYTES_MAX));
        Ok(body
            .and_then(|body| rtf::read(&body, self.ole.budget()).ok())
            .map(|it| it.text)
            .unwrap_or_default())
    }
}

/// Appends a line of the header, unless its value is empty.
fn append_field(label: &str, value: &str, text: &mut String) {
    if !value.is_empty() {
        text.push_str(&format!("{label} {value}\n"));
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

/// A string without the zeros that end it.
fn without_end(mut string: String) -> String {
    string.truncate(string.trim_end_matches('\0').len());
    string
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
    fn attachments_have_names_and_texts() {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        let mut put = |path: &str, bytes: &[u8]| {
            for (at, _) in path.match_indices('/').skip(1) {
                if !file.exists(&path[..at]) {
                    file.create_storage(&path[..at]).unwrap();
                }
            }
            file.create_stream(path).unwrap().write_all(bytes).unwrap();
        };
        let body = format!("__substg1.0_{BODY}001E");
        put("/__properties_version1.0", &[0; 32]);
        put(&format!("/{body}"), b"body");
        let attachment = |number: u32| format!("/{ATTACHMENT}{number:08X}");
        // Without a media type, the content decides.
        put(&format!("{}/__substg1.0_{SHORT_FILE_NAME}001E", attachment(0)), b"A.RTF");
        put(&format!("{}/__substg1.0_{ATTACHED_DATA}0102", attachment(0)), br"{\rtf1 rich}");
        put(&format!("{}/__substg1.0_{FILE_NAME}001E", attachment(1)), b"b.bin");
        put(&format!("{}/__substg1.0_{MEDIA_TYPE}001E", attachment(1)), b"TEXT/HTML");
        put(&format!("{}/__substg1.0_{ATTACHED_DATA}0102", attachment(1)), b"<p>web</p>");
        // Attached mail with an attachment, and so on: more levels than are read.
        let mut inner = attachment(2);
        for level in 0..DOCUMENT_DEPTH_MAX + 4 {
            put(&format!("{inner}/__substg1.0_{DISPLAY_NAME}001E"), b"mail");
            inner = format!("{inner}/__substg1.0_{ATTACHED_DATA}000D");
            put(&format!("{inner}/{body}"), format!("level{level}").as_bytes());
            inner = format!("{inner}{}", attachment(0));
        }
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        let text = ole::read(&bytes, &mut Budget::default()).unwrap().text;
        let words: Vec<&str> = text.split_whitespace().collect();
        let levels: Vec<String> =
            (0..DOCUMENT_DEPTH_MAX).map(|level| format!("mail level{level}")).collect();
        assert_eq!(words[..5], ["body", "A.RTF", "rich", "b.bin", "web"]);
        assert_eq!(words[5..].join(" "), format!("{} mail", levels.join(" ")));
    }

    #[test]
    fn mail_in_a_file_has_its_header() {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        let mut put = |path: &str, text: &str| {
            let stream = file.create_stream(path);
            stream.unwrap().write_all(text.as_bytes()).unwrap();
        };
        put("/__properties_version1.0", &"\0".repeat(32));
        put(&format!("/__substg1.0_{SUBJECT}001E"), "Plan");
        put(&format!("/__substg1.0_{SENDER}001E"), "Ann");
        put(&format!("/__substg1.0_{DISPLAY_TO}001E"), "Bob; Cy");
        put(&format!("/__substg1.0_{DISPLAY_BCC}001E"), "");
        put(&format!("/__substg1.0_{BODY}001E"), "body");
        for (number, (property, address)) in
            [(SMTP_ADDRESS, "b@x.org"), (ADDRESS, "/o=x/CN=Cy"), (DISPLAY_NAME, "'d@x.org'")]
                .into_iter()
                .enumerate()
        {
            let storage = format!("/{RECIPIENT}{number:08X}");
            file.create_storage(&storage).unwrap();
            let stream = file.create_stream(format!("{storage}/__substg1.0_{property}001E"));
            stream.unwrap().write_all(address.as_bytes()).unwrap();
        }
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        let mut budget = Budget { depth: DOCUMENT_DEPTH_MAX - 1, ..Budget::default() };
        let text = ole::read(&bytes, &mut budget).unwrap().text;
        let header = "Plan\nFrom Ann\nTo Bob; Cy\nRecipients b@x.org; Cy; d@x.org\n";
        assert_eq!(text, format!("{header}body"));
        assert_eq!(ole::read(&bytes, &mut Budget::default()).unwrap().text, "body");
    }

    #[test]
    fn rich_text_counts_if_the_plain_text_is_blank() {
        assert_eq!(mail(0, &[(BODY, b"\r\n"), (BODY_HTML, b"<p>rich</p>")]).text.trim(), "rich");
        assert_eq!(mail(0, &[(BODY, b" ")]).text, "");
    }

    #[test]
    fn strings_end_before_their_zeros() {
        assert_eq!(mail(1252, &[("1000", b"Body\0\0")]).text.trim_matches('\n'), "Body");
    }
}
