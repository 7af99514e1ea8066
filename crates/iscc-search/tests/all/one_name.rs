//! An asset has one ISCC-ID, whatever form of it clients send.

use crate::common::{Service, wait_found};
use iscc_search::Options;
use serde_json::{Value, json};

const SCHEMES: [&str; 3] = ["usearch", "lmdb", "memory"];
const CODE: &str = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI";
const NAME: &str = "ISCC:MAICAJINXFXA2SQX";
/// The same of version 0, and with a length in the header that the body does not have, as some hubs write.
const OF_VERSION_0: &str = "ISCC:MAACAJINXFXA2SQX";
const OF_HUBS: &str = "ISCC:MAISAJINXFXA2SQX";

#[test]
fn both_versions_of_an_iscc_id_name_one_asset() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let status = |id: &str| {
            let added = service.add("main", &json!([{ "iscc_id": id, "iscc_code": CODE }]));
            added.unwrap()[0]["status"].clone()
        };
        assert_eq!(status(OF_VERSION_0), "created", "{scheme}");
        assert_eq!(status(NAME), "updated", "{scheme}");
        assert_eq!(status(OF_VERSION_0), "updated", "{scheme}");
        assert_eq!(service.assets("main"), 1, "{scheme}");
        for id in [NAME, OF_VERSION_0] {
            assert_eq!(service.get("main", id).unwrap()["iscc_id"], NAME, "{scheme}");
        }
        let listed = service
            .engine
            .assets("main", None, 10, iscc_search::transfer::Form::Array, &[])
            .unwrap();
        let listed: Value = serde_json::from_slice(&listed.entries).unwrap();
        assert_eq!(listed[0]["iscc_id"], NAME, "{scheme}");
        let found = wait_found(|reply| {
            service.engine.search(
                "main",
                json!({ "iscc_code": CODE }).to_string().into(),
                10,
                reply,
            )
        });
        assert_eq!(found.unwrap()["global_matches"][0]["iscc_id"], NAME, "{scheme}");
        service.delete("main", OF_VERSION_0).unwrap();
        assert_eq!(service.assets("main"), 0, "{scheme}");
    }
}

#[test]
fn an_iscc_id_with_a_wrong_length_in_its_header_is_refused_everywhere() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        service.add("main", &json!([{ "iscc_id": NAME, "iscc_code": CODE }])).unwrap();
        let added = service.add("main", &json!([{ "iscc_id": OF_HUBS, "iscc_code": CODE }]));
        let outcomes = [
            added,
            service.get("main", OF_HUBS),
            service.search("main", &json!({ "iscc_id": OF_HUBS }), 10),
            service.delete("main", OF_HUBS).map(|()| Value::Null),
        ];
        for outcome in outcomes {
            let (status, detail) = outcome.unwrap_err();
            assert_eq!(status, 400, "{scheme}: {detail}");
            assert!(detail.as_str().unwrap().contains(NAME), "{scheme}: {detail}");
        }
        assert_eq!(service.assets("main"), 1, "{scheme}");
    }
}
