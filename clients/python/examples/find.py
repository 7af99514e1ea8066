"""Indexes pictures of a folder, then finds those that are similar to another one.

Usage: python find.py FOLDER PICTURE
"""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isccd_client import CodesClient, Conflict, SearchClient, ServiceError

INDEX = "examplepython"


def assets(codes: CodesClient, folder: Path) -> Iterator[dict[str, Any]]:
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        try:
            result = codes.create_iscc(path)
        except ServiceError as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        # In production, a hub of the ISCC network issues the id.
        iscc_id = "ISCC:" + base64.b32encode(b"\x60\x10" + (number + 1).to_bytes(8, "big")).decode().rstrip("=")
        metadata = {"path": str(path.relative_to(folder))}
        yield {"iscc_id": iscc_id, "iscc_code": result.iscc, "units": result.units, "metadata": metadata}


def main(folder: str, picture: str) -> None:
    codes_url = os.environ.get("CODES_URL", "http://127.0.0.1:8000")
    search_url = os.environ.get("SEARCH_URL", "http://127.0.0.1:8010")
    key = os.environ.get("SEARCH_KEY")
    with CodesClient(codes_url) as codes, SearchClient(search_url, api_key=key, codes=codes) as search:
        try:
            search.create_index(INDEX)
        except Conflict:
            pass  # It exists.
        report = search.add_many(INDEX, assets(codes, Path(folder)))
        print(f"{report.created} new, {report.updated} known, {len(report.refused)} refused")
        for match in search.find(INDEX, picture, limit=10).global_matches:
            print(f"{match.score:.2f}  {match.to_dict()['metadata']['path']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
