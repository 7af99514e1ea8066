"""What two validators of others say of Manifest Stores: judge.py ANCHORS EKU FILE... Prints a JSON object per file."""
import io
import json
import sys

import c2pa
import encypher_c2pa

ANCHORS, EKU = (open(name).read() for name in sys.argv[1:3])
# The stores come without their assets.
JPEG = b"\xff\xd8\xff\xd9"


def by_c2pa_python(store):
    verify = {"remote_manifest_fetch": False, "ocsp_fetch": False}
    trust = {"user_anchors": ANCHORS, "trust_config": EKU}
    context = c2pa.Context.from_dict({"verify": verify, "trust": trust})
    try:
        reader = c2pa.Reader("application/c2pa", io.BytesIO(b""), store, context=context)
        found = json.loads(reader.json())
    except Exception as error:
        return [str(error).split("\n")[0]]
    results = found.get("validation_results") or {}
    active = (results.get("activeManifest") or {}).get("failure", [])
    deltas = [delta["validationDeltas"]["failure"] for delta in results.get("ingredientDeltas", [])]
    return [status["code"] for status in active + sum(deltas, [])]


def by_encypher(store):
    try:
        options = {"telemetry": False, "no_default_trust": True, "trust_pem": ANCHORS}
        report = encypher_c2pa.verify(JPEG, "image/jpeg", manifest_store=store, **options)
    except Exception as error:
        return [str(error).split("\n")[0]]
    return [status["code"] for status in report["validation_results"]["failure"]]


for name in sys.argv[3:]:
    with open(name, "rb") as file:
        store = file.read()
    said = {"c2paPython": by_c2pa_python(store), "encypher": by_encypher(store)}
    print(json.dumps(said))
