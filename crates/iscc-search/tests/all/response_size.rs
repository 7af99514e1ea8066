//! Responses to searches have a bound.

use crate::common::{Service, id, wait_found};
use iscc_search::{Options, SearchParameters, SelectionParameters};
use serde_json::json;

const SCHEMES: [&str; 2] = ["usearch", "lmdb"];
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
        let search = |limit: i64, without_metadata: bool| {
            let selection = SelectionParameters { without_metadata, ..Default::default() };
            let selection = Some(Box::new(selection));
            let parameters = SearchParameters { limit, skip_featureless: None, selection };
            let body = json!({ "iscc_code": CODE }).to_string().into_bytes();
            wait_found(|reply| service.engine.search("main", body, parameters, reply))
        };
        let some = search(10, false).unwrap();
        assert_eq!(some["global_matches"][9]["metadata"]["filler"], filler, "{scheme}");
        let (status, detail) = search(40, false).unwrap_err();
        assert_eq!(status, 400, "{scheme}");
        assert!(detail.as_str().unwrap().contains("metadata=false"), "{scheme}: {detail}");
        let all = search(40, true).unwrap();
        let matches = all["global_matches"].as_array().unwrap();
        assert_eq!(matches.len(), 40, "{scheme}");
        assert!(matches.iter().all(|one| one["metadata"].is_null()), "{scheme}");
    }
}
