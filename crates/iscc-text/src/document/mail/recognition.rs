//! Recognition of mail under the name of a text, by its first lines, as in the reference.

/// Bytes in which headers count.
const HEAD_BYTES: usize = 1024;

/// Headers of which a mail has two, one of them in the first line.
const COMMON: [&str; 11] = [
    "Content-Type:",
    "Date:",
    "Delivered-To:",
    "From:",
    "MIME-Version:",
    "Message-ID:",
    "Received:",
    "Status:",
    "Subject:",
    "To:",
    "X-Mailer:",
];

/// Whether a text starts like a mail.
pub fn is_mail(file: &[u8]) -> bool {
    let text = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let head = String::from_utf8_lossy(&text[..text.len().min(HEAD_BYTES)]);
    let is_id = |line: &str| starts_with_folded(line, "message-id:");
    let starts_with_any =
        |line: &str, headers: &[&str]| headers.iter().any(|it| line.starts_with(it));
    let mut lines = head.lines();
    let Some(first) = lines.next() else { return false };
    if is_id(first) || starts_with_folded(first, "return-path:") || first.starts_with("X-Mailer:") {
        return true;
    }
    if lines.clone().any(is_id) {
        return true;
    }
    if starts_with_any(first, &COMMON) {
        return lines.any(|line| starts_with_any(line, &COMMON));
    }
    // Only headers that no other text has follow one of an extension.
    let is_common_elsewhere = |it: &&str| matches!(*it, "Content-Type:" | "Subject:" | "To:");
    let specific: Vec<&str> = COMMON.into_iter().filter(|it| !is_common_elsewhere(it)).collect();
    starts_with_any(first, &["X-", "DKIM-", "ARC-"])
        && lines.any(|line| starts_with_any(line, &specific))
}

fn starts_with_folded(line: &str, header: &str) -> bool {
    line.get(..header.len()).is_some_and(|start| start.eq_ignore_ascii_case(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_headers_of_a_mail_are_mail() {
        for mail in [
            "From: a@b\nSubject: c\n\nText",
            "\u{feff}To: a@b\r\nCc: d\r\nSubject: c\r\n\r\nText",
            "message-id: <1@2>\n\nText",
            "Newsgroups: comp.unix\nFrom: a\nMessage-ID: <1@2>\n\nText",
            "Return-Path: <a@b>\n\nText",
            "DKIM-Signature: v=1\nFrom: a@b\n\nText",
        ] {
            assert!(is_mail(mail.as_bytes()), "{mail}");
        }
        let far = format!("From: a@b\n{}Subject: c\n\nText", "Organization: x\n".repeat(80));
        for text in [
            "",
            "Subject: a letter\n\nText",
            "from: a@b\nsubject: c\n\nText",
            "Organization: x\nFrom: a@b\nSubject: c\n\nText",
            "X-Foo: 1\nTo: a@b\nSubject: c\n\nText",
            "\nFrom: a@b\nSubject: c\n\nText",
            far.as_str(),
        ] {
            assert!(!is_mail(text.as_bytes()), "{text}");
        }
    }
}
