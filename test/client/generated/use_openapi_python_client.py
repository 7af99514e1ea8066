"""Uses the clients made by openapi-python-client: codes a photo, indexes it with metadata, and finds it."""

import base64
import json
import sys
from io import BytesIO

from opc_codes import Client as CodesClient
from opc_codes.api.iscc import create_iscc, explain_iscc
from opc_codes.models import IsccMetadata
from opc_codes.types import File
from opc_resolver import Client as ResolverClient
from opc_resolver.api.probes import liveness
from opc_search import AuthenticatedClient
from opc_search.api.assets import add_assets, get_asset
from opc_search.api.indexes import create_index, list_indexes
from opc_search.api.search import search_get, search_post
from opc_search.models import HttpError, IsccEntry, IsccIndex, IsccQuery
from opc_store import Client as StoreClient
from opc_store.api.manifests import store_manifest
from opc_store.types import File as StoreFile

photo, manifest, codes_url, search_url, store_url, resolver_url = sys.argv[1:]
codes = CodesClient(base_url=codes_url)
search = AuthenticatedClient(base_url=search_url, token="key", prefix="", auth_header_name="X-API-Key")
store = StoreClient(base_url=store_url)
resolver = ResolverClient(base_url=resolver_url)

with open(photo, "rb") as file:
    name = base64.b64encode(b"photo.jpg").decode()
    result = create_iscc.sync(client=codes, body=File(payload=file), x_upload_filename=name, granular=False)
assert isinstance(result, IsccMetadata), result
assert explain_iscc.sync(result.iscc, client=codes).iscc == result.iscc

create_index.sync(client=search, body=IsccIndex(name="opc"))
metadata = {"name": "Photo", "tags": ["a", 1, None, {"deep": True}]}
entry = IsccEntry.from_dict({"iscc_id": "ISCC:MAIGIIFJRDGEQQAA", "iscc_code": result.iscc, "metadata": metadata})
added = add_assets.sync("opc", client=search, body=[entry])
assert added[0].status == "created", added
assert get_asset.sync("opc", entry.iscc_id, client=search).to_dict()["metadata"] == metadata
by_code = search_get.sync("opc", client=search, iscc_code=result.iscc, limit=5)
by_query = search_post.sync("opc", client=search, body=IsccQuery(units=result.units))
assert by_query.global_matches[0].iscc_id == by_code.global_matches[0].iscc_id
refused = search_get.sync("unknown", client=search, iscc_code=result.iscc)
assert isinstance(refused, HttpError), refused

with open(manifest, "rb") as file:
    stored = store_manifest.sync(client=store, body=StoreFile(payload=file), declare=False)

print(
    json.dumps(
        {
            "iscc": result.iscc,
            "match": by_code.global_matches[0].to_dict(),
            "index": [index.name for index in list_indexes.sync(client=search) if index.assets == 1],
            "stored": stored.to_dict(),
            "alive": liveness.sync(client=resolver).status,
        }
    )
)
