//! Trust lists: their certificates, and which list vouches for whom.

use crate::common;
use c2pa_manifest::{
    Outcome, TestChain, TrustError, TrustFileError, TrustKind, TrustList, Validator, check_anchors,
    read_trust_list,
};
use serde_json::json;

#[test]
fn certificates_are_counted() {
    assert!(check_anchors(&common::text("certs/trust-anchors.pem")).unwrap() > 0);
    assert_eq!(check_anchors(" \n").unwrap(), 0);
}

#[test]
fn anything_else_is_rejected() {
    let with = |pem: &str| Validator::new(&TrustList::anchors(pem));
    assert!(matches!(with("no certificates"), Err(TrustError::Empty)));
    let key = common::text("certs/es256.key.pem");
    assert!(matches!(with(&key), Err(TrustError::NotACertificate { number: 1, .. })));
    let cut = common::text("certs/trust-anchors.pem").replace("-----END", "!");
    assert!(check_anchors(&cut).is_err());
}

#[test]
fn only_a_list_of_signers_vouches_for_a_signer() {
    let bytes = std::fs::read(common::path("manifests/ok-es256-iscc4.c2pa")).unwrap();
    let pem = common::text("certs/trust-anchors.pem");
    let by = |lists: &[TrustList]| match Validator::new(lists).unwrap().validate(&bytes, None) {
        Outcome::Accepted(accepted) => accepted,
        other => panic!("{other:?}"),
    };
    let list = |name: &str, kind| TrustList { name: name.to_owned(), kind, pem: pem.clone() };
    let signers = by(&[list("ours", TrustKind::Signers)]);
    assert_eq!(signers.trust_list.as_deref(), Some("ours"));
    assert!(signers.facts.summary.contains(r#""state":"trusted","trustList":"ours""#));
    for kind in [TrustKind::Identities, TrustKind::TimeStampers] {
        let other = by(&[list("ours", kind)]);
        assert_eq!(other.trust_list, None);
        assert!(!other.facts.summary.contains("trustList"));
    }
    let [bundled, _] = TrustList::bundled();
    let both = by(&[bundled, list("ours", TrustKind::Signers)]);
    assert_eq!(both.trust_list.as_deref(), Some("ours"));
}

/// The certificate of its signer has expired, and a time-stamp of that time has another root.
#[test]
fn a_time_stamp_counts_by_the_lists_of_time_stampers_alone() {
    let bytes = std::fs::read(common::path("trust/expired-stamped.c2pa")).unwrap();
    let list = |file: &str, kind| {
        let pem = common::text(&format!("trust/{file}.pem"));
        TrustList { name: file.to_owned(), kind, pem }
    };
    let by = |lists: &[TrustList]| match Validator::new(lists).unwrap().validate(&bytes, None) {
        Outcome::Accepted(accepted) => {
            let summary: serde_json::Value = serde_json::from_str(&accepted.facts.summary).unwrap();
            assert_eq!(summary["timeStampList"], "time-stampers");
            assert!(summary["time"].as_str().unwrap().starts_with("2026-01-15"));
            Ok(accepted.trust_list)
        }
        Outcome::Refused(refusal) => Err(refusal.code.into_owned()),
        Outcome::Overdue => panic!("there was no deadline"),
    };
    let signers = list("signers", TrustKind::Signers);
    let stampers = list("time-stampers", TrustKind::TimeStampers);
    assert_eq!(by(std::slice::from_ref(&stampers)), Ok(None));
    assert_eq!(by(&[signers.clone(), stampers]), Ok(Some("signers".to_owned())));
    let expired = Err("signingCredential.expired".to_owned());
    for kind in [TrustKind::Signers, TrustKind::Identities] {
        assert_eq!(by(&[signers.clone(), list("time-stampers", kind)]), expired, "{kind:?}");
    }
}

#[test]
fn a_time_stamp_without_a_list_proves_no_time() {
    let summary = |file: &str, lists: &[TrustList]| {
        let bytes = std::fs::read(common::path(file)).unwrap();
        let no_asset = None::<(&str, std::io::Cursor<Vec<u8>>)>;
        Validator::new(lists).unwrap().describe(&bytes, no_asset, None).unwrap()
    };
    let unlisted = summary("trust/expired-stamped.c2pa", &TrustList::bundled());
    assert_eq!((unlisted.time_stamp_list, unlisted.time), (None, None));
    assert_eq!(unlisted.failures, ["signingCredential.expired"]);
    // By the C2PA's rules, those in claims of version 1 count without a list.
    let legacy = summary("manifests/third-party-c2pa-rs-jpeg.c2pa", &[]);
    assert_eq!(legacy.time_stamp_list, None);
    assert!(legacy.time.is_some());
}

#[test]
fn only_a_list_of_identities_vouches_for_an_identity() {
    let bytes = std::fs::read(common::path("trust/identity.c2pa")).unwrap();
    let pem = common::text("trust/identities.pem");
    let by = |kind| {
        let list = TrustList { name: "ours".to_owned(), kind, pem: pem.clone() };
        match Validator::new(&[list]).unwrap().validate(&bytes, None) {
            Outcome::Accepted(accepted) => {
                let summary: serde_json::Value =
                    serde_json::from_str(&accepted.facts.summary).unwrap();
                (summary["identityList"].as_str().map(str::to_owned), accepted.trust_list)
            }
            other => panic!("{other:?}"),
        }
    };
    let ours = || Some("ours".to_owned());
    assert_eq!(by(TrustKind::Identities), (ours(), None));
    assert_eq!(by(TrustKind::Signers), (None, None));
    assert_eq!(by(TrustKind::TimeStampers), (None, None));
}

fn json_list(services: &[(&str, Option<&str>)]) -> String {
    let services: Vec<_> = services
        .iter()
        .map(|(pem, status)| {
            let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
            json!({ "ServiceInformation": {
            "ServiceDigitalIdentity": { "X509Certificates": [{ "val": base64 }] },
            "ServiceStatus": status,
        } })
        })
        .collect();
    json!({ "LoTE": {
        "ListAndSchemeInformation": { "ListIssueDateTime": "2026-08-05T23:11:39-02:00" },
        "TrustedEntitiesList": [{ "TrustedEntityServices": services }],
    } })
    .to_string()
}

#[test]
fn a_list_is_read_from_both_forms_without_repetitions() {
    let [one, two] = ["one", "two"]
        .map(|name| TestChain::generate(c2pa_manifest::KeyKind::Es256, name).unwrap().root);
    let twice = format!("Subject\tCN=one\n{one}\n\nSubject\tCN=two\n{two}{one}");
    let pem = read_trust_list(&twice, TrustKind::Signers).unwrap();
    assert_eq!((pem.certificates, pem.expired, &pem.date), (2, 0, &None));
    assert_eq!(pem.pem, format!("{one}{two}"));
    let trusted = Some("http://c2pa.org/conformance/trust-list/trusted");
    let withdrawn = Some("http://c2pa.org/conformance/trust-list/withdrawn");
    let read = |services: &[_]| read_trust_list(&json_list(services), TrustKind::Signers);
    let both = read(&[(&one, trusted), (&two, None)]).unwrap();
    assert_eq!((both.pem, both.date.as_deref()), (pem.pem, Some("2026-08-06")));
    assert_eq!(read(&[(&one, trusted), (&two, withdrawn)]).unwrap().pem, one);
    assert!(matches!(read(&[(&two, withdrawn)]), Err(TrustFileError::Empty)));
}

#[test]
fn the_bundled_lists_pass_the_checks_of_their_kind_only() {
    let [signers, time_stampers] = TrustList::bundled();
    assert_eq!(read_trust_list(&signers.pem, TrustKind::Signers).unwrap().certificates, 30);
    let stampers = read_trust_list(&time_stampers.pem, TrustKind::TimeStampers).unwrap();
    assert_eq!(stampers.certificates, 22);
    for (list, kind) in [
        (&time_stampers, TrustKind::Signers),
        (&time_stampers, TrustKind::Identities),
        (&signers, TrustKind::TimeStampers),
    ] {
        let refused = read_trust_list(&list.pem, kind);
        assert!(matches!(refused, Err(TrustFileError::OtherKind { .. })), "{kind:?}");
    }
}

#[test]
fn other_files_and_certificates_are_refused() {
    let read = |text: &str| read_trust_list(text, TrustKind::Signers).unwrap_err();
    let chain = TestChain::generate(c2pa_manifest::KeyKind::Es256, "one").unwrap();
    let leaf = read(&format!("{}{}", chain.root, chain.chain));
    assert!(matches!(leaf, TrustFileError::NotAnAuthority { number: 2, .. }), "{leaf:?}");
    assert!(leaf.to_string().contains("CN=one"), "{leaf}");
    for key in [chain.key.clone(), format!("{}{}", chain.root, chain.key)] {
        assert!(matches!(read(&key), TrustFileError::NotACertificate(_)));
    }
    assert!(matches!(read(""), TrustFileError::Empty));
    assert!(matches!(read("<html></html>"), TrustFileError::Empty));
    assert!(matches!(read("{}"), TrustFileError::NotAList(_)));
    assert!(matches!(read(&" ".repeat((2 << 20) + 1)), TrustFileError::TooLarge));
    let damaged = chain.root.replacen("MII", "MIJ", 1);
    assert!(matches!(read(&damaged), TrustFileError::NotACertificate(_)));
    let number = json_list(&[("?", None)]);
    assert!(matches!(read(&number), TrustFileError::NotACertificate(_)));
}
