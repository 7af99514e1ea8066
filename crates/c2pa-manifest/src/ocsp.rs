//! OCSP responses that a caller has fetched for a validation.
//!
//! The `c2pa` crate requests them while it validates. This resolver makes no connection: it serves
//! the responses that the caller has, and notes the addresses of the others. The DID documents of
//! CAWG identities, which the crate requests too, are never fetched.

use std::cell::RefCell;
use std::io::{Cursor, Read};

use c2pa::crypto::cose::{CertificateTrustPolicy, TrustAnchorType};
use c2pa::http::http::{Request, Response};
use c2pa::http::{HttpResolverError, SyncHttpResolver};
use ciborium::Value;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::der::{
    BIT_STRING, ENUMERATED, GENERALIZED_TIME, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, explicit,
    read,
};

/// Maximum number of addresses per store. The signers of further ingredients are not looked up.
const ADDRESSES_MAX: usize = 8;
const DID_DOCUMENT: &str = "application/did+json";
const OCSP_SIGNING: &[u8] = b"1.3.6.1.5.5.7.3.9";

/// A response of an OCSP responder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OcspResponse {
    /// Address that it was fetched from, as [`Accepted`](crate::Accepted) names it.
    pub address: String,
    /// DER.
    pub der: Vec<u8>,
}

thread_local! {
    /// Like the deadline, per thread: the context is shared.
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

#[derive(Default)]
struct Exchange {
    fetched: Vec<OcspResponse>,
    missing: Vec<String>,
}

/// Runs `work` with these responses. Also returns the addresses of responses that it needs.
pub fn with<T>(fetched: Vec<OcspResponse>, work: impl FnOnce() -> T) -> (T, Vec<String>) {
    EXCHANGE.replace(Exchange { fetched, missing: Vec::new() });
    let result = work();
    (result, EXCHANGE.take().missing)
}

/// Resolver of the context.
pub struct Fetched;

impl SyncHttpResolver for Fetched {
    fn http_resolve(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Box<dyn Read>>, HttpResolverError> {
        let address = request.uri().to_string();
        if request.headers().get("accept").is_some_and(|accept| accept == DID_DOCUMENT) {
            return Err(HttpResolverError::UriDisallowed { uri: address });
        }
        let found = EXCHANGE.with_borrow_mut(|Exchange { fetched, missing }| {
            let found = fetched.iter().find(|response| response.address == address);
            if found.is_none() && missing.len() < ADDRESSES_MAX && !missing.contains(&address) {
                missing.push(address.clone());
            }
            found.map(|response| response.der.clone())
        });
        let der = found.ok_or(HttpResolverError::UriDisallowed { uri: address })?;
        let body: Box<dyn Read> = Box::new(Cursor::new(der));
        Ok(Response::builder().status(200).body(body)?)
    }
}

/// The authorities that may vouch for responders.
///
/// The `c2pa` crate checks them for stapled responses only, and responses come over plain HTTP.
pub struct Authorities(CertificateTrustPolicy);

impl Authorities {
    /// The certificates of lists, which must be valid: names and PEM.
    pub fn new<'a>(lists: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut policy = CertificateTrustPolicy::new();
        for (name, pem) in lists {
            let kind = TrustAnchorType::Manifest;
            policy.add_trust_anchors(pem.as_bytes(), name, kind, None).ok()?;
        }
        policy.add_valid_ekus(OCSP_SIGNING);
        Some(Self(policy))
    }

    /// Whether the certificate in a response is one for signing responses, by an authority. The
    /// signature of the response is not checked.
    pub fn vouch_for(&self, response: &OcspResponse) -> bool {
        let certificates = certificates(&response.der).unwrap_or_default();
        let Some(first) = certificates.first() else { return false };
        signs_responses(first) && self.0.check_certificate_trust(&certificates, first, None).is_ok()
    }
}

fn signs_responses(der: &[u8]) -> bool {
    let Ok((_, certificate)) = X509Certificate::from_der(der) else { return false };
    let usage = certificate.extended_key_usage().ok().flatten();
    usage.is_some_and(|usage| usage.value.ocsp_signing)
}

/// When the first status in a response gets too old (`nextUpdate`), in seconds since 1970.
pub fn next_update(response: &[u8]) -> Option<i64> {
    let (data, _) = basic(response)?;
    let data = read(explicit(0), data).map_or(data, |(_version, rest)| rest);
    let by_name = read(explicit(1), data);
    let (_responder, data) = by_name.or_else(|| read(explicit(2), data))?;
    let (_produced, data) = read(GENERALIZED_TIME, data)?;
    let (mut responses, _) = read(SEQUENCE, data)?;
    let mut times = Vec::new();
    while let Some((single, after)) = read(SEQUENCE, responses) {
        let (_certificate, single) = read(SEQUENCE, single)?;
        let (_status, single) = read(*single.first()?, single)?;
        let (_updated, single) = read(GENERALIZED_TIME, single)?;
        times.extend(read(explicit(0), single).and_then(|(next, _)| time(next)));
        responses = after;
    }
    times.into_iter().min()
}

fn time(der: &[u8]) -> Option<i64> {
    let (text, _) = read(GENERALIZED_TIME, der)?;
    let text = std::str::from_utf8(text).ok()?;
    let time = chrono::NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%SZ").ok()?;
    Some(time.and_utc().timestamp())
}

/// The OCSP responses in the header `rVals` of a COSE signature.
pub fn stapled(cose: &[u8]) -> Vec<Vec<u8>> {
    let Ok(Value::Tag(_, signature)) = ciborium::from_reader(cose) else { return Vec::new() };
    let Value::Array(parts) = *signature else { return Vec::new() };
    let values = parts.get(1).and_then(|header| member(header, "rVals"));
    match values.and_then(|values| member(values, "ocspVals")) {
        Some(Value::Array(all)) => all.iter().filter_map(|one| one.as_bytes().cloned()).collect(),
        _ => Vec::new(),
    }
}

fn member<'v>(map: &'v Value, name: &str) -> Option<&'v Value> {
    map.as_map()?.iter().find(|(key, _)| key.as_text() == Some(name)).map(|(_, value)| value)
}

/// DER of the certificates in a response (RFC 6960, 4.2.1).
fn certificates(response: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (_data, basic) = basic(response)?;
    let (_algorithm, basic) = read(SEQUENCE, basic)?;
    let (_signature, basic) = read(BIT_STRING, basic)?;
    let (certificates, _) = read(explicit(0), basic)?;
    let (mut rest, _) = read(SEQUENCE, certificates)?;
    let mut found = Vec::new();
    while let Some((_, after)) = read(SEQUENCE, rest) {
        found.push(rest[..rest.len() - after.len()].to_vec());
        rest = after;
    }
    Some(found)
}

/// The signed data of a response, and what follows it.
fn basic(response: &[u8]) -> Option<(&[u8], &[u8])> {
    let (response, _) = read(SEQUENCE, response)?;
    let (_status, response) = read(ENUMERATED, response)?;
    let (bytes, _) = read(explicit(0), response)?;
    let (bytes, _) = read(SEQUENCE, bytes)?;
    let (_type, bytes) = read(OBJECT_IDENTIFIER, bytes)?;
    let (basic, _) = read(OCTET_STRING, bytes)?;
    let (basic, _) = read(SEQUENCE, basic)?;
    read(SEQUENCE, basic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::der::{element, object_id, sequence};

    const RESPONDER_KEY: u8 = explicit(2);

    fn ask(address: &str) -> Option<u64> {
        let request = Request::builder().uri(address).body(Vec::new()).unwrap();
        let mut body = Vec::new();
        let mut response = Fetched.http_resolve(request).ok()?;
        response.body_mut().read_to_end(&mut body).unwrap();
        Some(body.len() as u64)
    }

    #[test]
    fn responses_are_served_and_the_first_eight_other_addresses_are_noted() {
        let fetched = OcspResponse { address: "http://a.example/".to_owned(), der: vec![1, 2, 3] };
        let ((), missing) = with(vec![fetched], || {
            assert_eq!(ask("http://a.example/"), Some(3));
            for at in (0..10).flat_map(|at| [at, at]) {
                assert_eq!(ask(&format!("http://b.example/{at}")), None);
            }
        });
        let expected: Vec<String> = (0..8).map(|at| format!("http://b.example/{at}")).collect();
        assert_eq!(missing, expected);
        // Nothing is left for the next validation of the thread.
        let (found, missing) = with(Vec::new(), || ask("http://a.example/"));
        assert_eq!((found, missing.len()), (None, 1));
    }

    /// A response with one status for each time. `None`: no end.
    fn response(times: &[Option<&str>]) -> Vec<u8> {
        let moment = |text: &str| element(GENERALIZED_TIME, text.as_bytes());
        let single = |next: &Option<&str>| {
            let next = next.map_or_else(Vec::new, |text| element(explicit(0), &moment(text)));
            sequence(&[&sequence(&[]), &[0x80, 0], &moment("20260101000000Z"), &next])
        };
        let singles: Vec<u8> = times.iter().flat_map(single).collect();
        let responder = element(RESPONDER_KEY, &element(OCTET_STRING, &[7; 20]));
        let data = sequence(&[&responder, &moment("20260101000000Z"), &sequence(&[&singles])]);
        let basic = element(OCTET_STRING, &sequence(&[&data]));
        let kind = object_id(&[1, 3, 6, 1, 5, 5, 7, 48, 1, 1]);
        let bytes = element(explicit(0), &sequence(&[&kind, &basic]));
        sequence(&[&element(ENUMERATED, &[0]), &bytes])
    }

    #[test]
    fn the_earliest_of_all_ends_counts() {
        let (early, late) = (Some("20280927000000Z"), Some("21251208000000Z"));
        assert_eq!(next_update(&response(&[early])), Some(1_853_625_600));
        assert_eq!(next_update(&response(&[late, None, early])), Some(1_853_625_600));
        assert_eq!(next_update(&response(&[late])), Some(4_920_825_600));
        assert_eq!(next_update(&response(&[None])), None);
        assert_eq!(next_update(&response(&[])), None);
        assert_eq!(next_update(&response(&[Some("tomorrow")])), None);
        assert_eq!(next_update(b""), None);
    }

    #[test]
    fn a_cut_response_has_no_certificates() {
        let whole = response(&[None]);
        assert_eq!(certificates(&whole), None);
        assert_eq!(next_update(&whole[..whole.len() - 1]), None);
    }

    #[test]
    fn only_a_signature_with_the_header_has_stapled_responses() {
        let text = |text: &str| Value::Text(text.to_owned());
        let responses =
            Value::Array(vec![Value::Bytes(vec![1]), Value::Null, Value::Bytes(vec![2])]);
        let header = |outer: &str, inner: &str, values: &Value| {
            let values = Value::Map(vec![(text("x"), Value::Null), (text(inner), values.clone())]);
            Value::Map(vec![(text("x"), Value::Null), (text(outer), values)])
        };
        let cose = |header: Value| {
            let parts = Value::Array(vec![Value::Null, header, Value::Null]);
            let mut bytes = Vec::new();
            ciborium::into_writer(&Value::Tag(18, parts.into()), &mut bytes).unwrap();
            stapled(&bytes)
        };
        assert_eq!(cose(header("rVals", "ocspVals", &responses)), [[1], [2]]);
        let none: [[u8; 1]; 0] = [];
        assert_eq!(cose(header("rvals", "ocspVals", &responses)), none);
        assert_eq!(cose(header("rVals", "crlVals", &responses)), none);
        assert_eq!(cose(header("rVals", "ocspVals", &Value::Null)), none);
        assert_eq!(stapled(b"words"), none);
    }
}
