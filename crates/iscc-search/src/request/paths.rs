//! The body of a request that declares metadata paths, and conditions of a listing.
use iscc_index::filter::{Filter, Path};
use iscc_index::json::{Node, push_string};
use iscc_index::paths::{PATH_BYTES_MAX, PATHS_MAX};

use super::rules;
use super::violations::{Place, Step, Violations};
use super::{parse, selection};
use crate::failure::Failure;

/// Parses `{"paths": [...]}` and returns the different paths in normal form.
pub fn read(body: &[u8]) -> Result<Vec<String>, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let place = &Place::BODY;
    let mut paths: Vec<String> = Vec::new();
    if let Node::Object(members) = Node::read(raw)? {
        for (member, raw) in &members {
            let place = &place.at(Step::Name(member));
            if member != "paths" {
                violations.extra(place, raw);
                continue;
            }
            let texts = rules::strings(raw, place, 0, &mut violations)?.unwrap_or_default();
            for (index, text) in texts.iter().enumerate() {
                // Each path is compared with those before it, and a body may have millions.
                if paths.len() > PATHS_MAX {
                    break;
                }
                match Path::parse(text).map(|path| path.text()) {
                    Some(path) if path.len() <= PATH_BYTES_MAX => {
                        if !paths.contains(&path) {
                            paths.push(path);
                        }
                    }
                    _ => refuse(&mut violations, &place.at(Step::Index(index)), PATH_RULE, text),
                }
            }
            if paths.len() > PATHS_MAX {
                violations.add(place, "value_error", COUNT_RULE, raw.get(), "");
            }
        }
        if rules::present(&members, "paths").is_none() {
            violations.missing(&place.at(Step::Name("paths")), raw);
        }
    } else {
        violations.not_an_object(place, raw);
    }
    violations.into_result()?;
    Ok(paths)
}

/// Parses the conditions of a listing.
pub fn filters(texts: &[String]) -> Result<Vec<Filter>, Failure> {
    let mut violations = Violations::default();
    let filters = selection::filters(texts, &mut violations);
    violations.into_result()?;
    Ok(filters)
}

fn refuse(violations: &mut Violations, place: &Place<'_>, rule: &str, text: &str) {
    let mut echo = Vec::new();
    push_string(&mut echo, text);
    violations.add(place, "value_error", rule, &String::from_utf8_lossy(&echo), "");
}

/// `PATH_BYTES_MAX` and `PATHS_MAX` in words.
const PATH_RULE: &str = "must have the form metadata.PATH and at most 256 bytes";
const COUNT_RULE: &str = "an index takes at most 16 paths";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_different_paths_in_normal_form() {
        let body = br#"{"paths":["metadata.a","metadata.\"a\"","metadata.b.\"x y\""]}"#;
        assert_eq!(read(body).unwrap(), ["metadata.a", "metadata.b.\"x y\""]);
        assert_eq!(read(br#"{"paths":[]}"#).unwrap(), [""; 0]);
    }

    #[test]
    fn a_million_paths_are_refused_at_once() {
        let many: Vec<String> = (0..1_000_000).map(|n| format!("\"metadata.a{n}\"")).collect();
        let body = format!(r#"{{"paths":[{}]}}"#, many.join(","));
        let detail = read(body.as_bytes()).unwrap_err().to_string();
        assert!(detail.contains(COUNT_RULE), "{}", &detail[..200]);
    }

    #[test]
    fn names_each_value_of_another_form() {
        let long = format!(r#"{{"paths":["metadata.{}"]}}"#, "a".repeat(PATH_BYTES_MAX));
        let many: Vec<String> = (0..=PATHS_MAX).map(|n| format!("\"metadata.a{n}\"")).collect();
        let many = format!(r#"{{"paths":[{}]}}"#, many.join(","));
        for (body, place) in [
            (r#"{"paths":["lang"]}"#, r#"["body","paths",0]"#),
            (r#"{"paths":["metadata.a exists"]}"#, r#"["body","paths",0]"#),
            (r#"{"paths":[1]}"#, r#"["body","paths",0]"#),
            (r#"{"paths":"metadata.a"}"#, r#"["body","paths"]"#),
            (r#"{"path":["metadata.a"]}"#, r#"["body","path"]"#),
            ("{}", r#"["body","paths"]"#),
            (&long, r#"["body","paths",0]"#),
            (&many, r#"["body","paths"]"#),
        ] {
            let detail = read(body.as_bytes()).unwrap_err().to_string();
            assert!(detail.contains(&format!("\"loc\":{place}")), "{body}: {detail}");
        }
    }
}
