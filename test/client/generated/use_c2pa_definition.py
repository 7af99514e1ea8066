"""Uses the clients that openapi-python-client makes of the C2PA's definition: finds and fetches the manifest of a photo."""

import json
import sys
import time

from c2pa_1_1_0 import Client as ContentClient
from c2pa_1_1_0.api.query import query_by_reference, upload_file
from c2pa_1_1_0.models import QueryByReferenceBody
from c2pa_1_1_0.types import File
from c2pa_2_4_0 import AuthenticatedClient, Client
from c2pa_2_4_0.api.fetch import get_manifest_by_id
from c2pa_2_4_0.api.query import query_by_binding, query_by_large_binding
from c2pa_2_4_0.api.service import (
    get_service_capabilities,
    get_service_status,
    get_supported_bindings,
    get_well_known,
)
from c2pa_2_4_0.models import C2PaSoftBindingQuery

url, photo, value, manifest_id = sys.argv[1:]
ALG = "io.iscc.v0"

discovery = get_well_known.sync(client=Client(base_url=url))
public = Client(base_url=discovery.api_endpoint)
# The definition has credentials on queries. The services ignore them.
client = AuthenticatedClient(base_url=discovery.api_endpoint, token="some credentials")
content_client = ContentClient(base_url=discovery.api_endpoint)


def by_binding():
    return query_by_binding.sync(client=client, value=value, alg=ALG)


# The index of the resolver follows the store.
end = time.monotonic() + 30
while by_binding().matches == [] and time.monotonic() < end:
    time.sleep(0.1)

large = query_by_large_binding.sync(client=client, body=C2PaSoftBindingQuery(alg=ALG, value=value), max_results=1)
with open(photo, "rb") as asset:
    by_content = upload_file.sync(client=content_client, body=File(payload=asset), max_results=1)
found = [(result.matches[0].manifest_id, result.matches[0].similarity_score) for result in (by_binding(), large, by_content)]
manifest = get_manifest_by_id.sync_detailed(manifest_id, client=client)
private = QueryByReferenceBody(reference_url="https://127.0.0.1/photo.jpg", asset_length=1)
refused = query_by_reference.sync_detailed(client=content_client, body=private)
algorithms = get_supported_bindings.sync(client=public)
capabilities = get_service_capabilities.sync(client=public)

print(
    json.dumps(
        {
            "version": capabilities.c_2_pa_specification_version,
            "capabilities": capabilities.supported_capabilities,
            "status": get_service_status.sync(client=public).status.value,
            # The generator makes no class of watermarks.
            "watermarks": [watermark["alg"] for watermark in algorithms.watermarks],
            "fingerprints": [fingerprint.alg for fingerprint in algorithms.fingerprints],
            "found": found,
            "manifestBytes": len(manifest.content) if manifest.status_code == 200 else None,
            "refused": refused.status_code,
        }
    )
)
