//! ISCC-IDs.

use iscc_codec::IsccId;
use proptest::prelude::*;

proptest! {
    #[test]
    fn text_order_sorts_ids_like_their_texts(a in any::<u64>(), b in any::<u64>(), realm in 0u8..2) {
        let text = |body| IsccId::from_body(realm, body).expect("a valid realm").to_string();
        prop_assert_eq!(IsccId::text_order(a).cmp(&IsccId::text_order(b)), text(a).cmp(&text(b)));
    }
}
