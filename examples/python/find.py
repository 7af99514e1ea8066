"""Indexes one file, then finds it by another version of it. Usage: python3 find.py KNOWN WANTED"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

CODES = os.environ.get("CODES_URL", "http://127.0.0.1:8000") + "/api/v1"
SEARCH = os.environ.get("SEARCH_URL", "http://127.0.0.1:8010")
KEY = os.environ.get("SEARCH_KEY", "")
INDEX = "examplepython"


def call(url, body, headers):
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)


def search(path, value):
    headers = {"Content-Type": "application/json", **({"X-API-Key": KEY} if KEY else {})}
    return call(SEARCH + path, json.dumps(value).encode(), headers)


def code(path):
    name = urllib.parse.urlencode({"filename": os.path.basename(path)})
    with open(path, "rb") as file:
        return call(f"{CODES}/iscc?{name}", file.read(), {})


known, wanted = sys.argv[1:]
try:
    search("/indexes", {"name": INDEX})
except urllib.error.HTTPError as error:
    if error.code != 409:  # it exists
        raise

result = code(known)
# In production, a hub of the ISCC network issues the id.
asset = {"iscc_id": "ISCC:MAIGIIFJRDGEQQAA", "iscc_code": result["iscc"], "units": result["units"]}
search(f"/indexes/{INDEX}/assets", [{**asset, "metadata": {"file": known}}])

matches = search(f"/indexes/{INDEX}/search?limit=10", {"units": code(wanted)["units"]})["global_matches"]
for match in matches:
    print(f"{match['metadata']['file']}  similarity {match['score']:.2f}")
if not matches:
    print("nothing similar")
