"""Uses the clients made by openapi-generator: codes a photo, indexes it with metadata, and finds it."""

import base64
import json
import sys

import og_codes
import og_resolver
import og_search
import og_store
from og_search.exceptions import NotFoundException

photo, manifest, codes_url, search_url, store_url, resolver_url = sys.argv[1:]
codes = og_codes.IsccApi(og_codes.ApiClient(og_codes.Configuration(host=codes_url)))
key = {"ApiKeyAuth": "key"}
search = og_search.ApiClient(og_search.Configuration(host=search_url, api_key=key))
indexes = og_search.IndexesApi(search)
assets = og_search.AssetsApi(search)
searching = og_search.SearchApi(search)
store = og_store.ManifestsApi(og_store.ApiClient(og_store.Configuration(host=store_url)))
resolver = og_resolver.ProbesApi(og_resolver.ApiClient(og_resolver.Configuration(host=resolver_url)))

with open(photo, "rb") as file:
    name = base64.b64encode(b"photo.jpg").decode()
    result = codes.create_iscc(x_upload_filename=name, body=file.read(), granular=False)
assert codes.explain_iscc(result.iscc).iscc == result.iscc

indexes.create_index(og_search.IsccIndex(name="og"))
metadata = {"name": "Photo", "tags": ["a", 1, None, {"deep": True}]}
entry = og_search.IsccEntry(iscc_id="ISCC:MAIGIIFJRDGEQQAA", iscc_code=result.iscc, metadata=metadata)
assert assets.add_assets("og", [entry])[0].status == "created"
assert assets.get_asset("og", entry.iscc_id).metadata == metadata
by_code = searching.search_get("og", iscc_code=result.iscc, limit=5)
by_query = searching.search_post("og", og_search.IsccQuery(units=result.units))
assert by_query.global_matches[0].iscc_id == by_code.global_matches[0].iscc_id
try:
    searching.search_get("unknown", iscc_code=result.iscc)
    raise SystemExit("an unknown index was found")
except NotFoundException as error:
    assert "unknown" in json.loads(error.body)["detail"]

with open(manifest, "rb") as file:
    stored = store.store_manifest(body=file.read(), declare=False)

print(
    json.dumps(
        {
            "iscc": result.iscc,
            "match": by_code.global_matches[0].to_dict(),
            "index": [index.name for index in indexes.list_indexes() if index.assets == 1],
            "stored": stored.to_dict(),
            "alive": resolver.liveness().status,
        }
    )
)
