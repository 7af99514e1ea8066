//! Responses to searches have a bound.

use crate::common::{Service, id, wait_found};
use iscc_search::{Fields, Options, SearchParameters, SelectionParameters};
use serde_json::{Value, json};

const SCHEMES: [&str; 3] = ["usearch", "lmdb", "memory"];
const CODE: &str = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI";

#[test]
fn large_metadata_can_be_left_out_of_responses_and_are_bounded() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let filler = "x".repeat(1 << 20);
        for number in 0..40 {
            let metadata = json!({ "number": number, "filler": filler });
            let asset = json!({ "iscc_id": id(number), "iscc_code": CODE, "metadata": metadata });
            service.add("main", &json!([asset])).unwrap();
        }
        let search = |limit: i64, fields: Option<&[&str]>| {
            let fields = fields.map(|all| all.iter().map(|&name| name.to_owned()).collect());
            let selection = SelectionParameters { fields, ..Default::default() };
            let selection = Some(Box::new(selection));
            let parameters = SearchParameters { limit, skip_featureless: None, selection };
            let body = json!({ "iscc_code": CODE }).to_string().into_bytes();
            wait_found(|reply| service.engine.search("main", body, parameters, reply))
        };
        let some = search(10, None).unwrap();
        assert_eq!(some["global_matches"][9]["metadata"]["filler"], filler, "{scheme}");
        let (status, detail) = search(40, None).unwrap_err();
        assert_eq!(status, 400, "{scheme}");
        assert!(detail.as_str().unwrap().contains("metadata=false"), "{scheme}: {detail}");
        assert!(detail.as_str().unwrap().contains("fields"), "{scheme}: {detail}");
        let matches = |fields: &[&str]| {
            let all = search(40, Some(fields)).unwrap();
            let matches = all["global_matches"].as_array().unwrap();
            assert_eq!(matches.len(), 40, "{scheme}");
            matches.iter().map(|one| one["metadata"].clone()).collect::<Vec<_>>()
        };
        assert!(matches(&[]).iter().all(Value::is_null), "{scheme}");
        assert!(matches(&["other"]).iter().all(|one| *one == json!({})), "{scheme}");
        let numbers = matches(&["number"]);
        assert!(numbers.contains(&json!({ "number": 7 })), "{scheme}: {numbers:?}");
        for (fields, expected) in [
            (Fields::of_names(vec!["number".to_owned()]), json!({ "number": 7 })),
            (Fields::of_names(vec![]), Value::Null),
        ] {
            let asset = service.engine.asset("main", &id(7), &fields).unwrap();
            let asset: Value = serde_json::from_slice(&asset).unwrap();
            assert_eq!(asset["metadata"], expected, "{scheme}");
        }
    }
}
