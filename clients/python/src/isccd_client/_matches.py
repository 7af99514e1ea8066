"""Manifests that match a file."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Algorithm of the soft binding whose value is an ISCC-SEQ.
ISCC_ALGORITHM = "io.iscc.v0"


@dataclass(frozen=True)
class Match:
    """A manifest that matches."""

    manifest_id: str
    #: Address of the service that has the manifest; `None` for the service that was asked.
    endpoint: str | None
    #: Similarity in per cent; `None` if unknown.
    score: int | None
    #: All members of the match.
    json: Mapping[str, Any]


@dataclass(frozen=True)
class Checked:
    """What is known about a file."""

    #: ISCC-CODE of the file.
    iscc: str
    #: Best first.
    matches: list[Match]


def matches_of(body: Mapping[str, Any]) -> list[Match]:
    return [
        Match(one["manifestId"], one.get("endpoint"), one.get("similarityScore"), one) for one in body.get("matches") or []
    ]


def binding_value(units: Iterable[str]) -> str:
    """Value of the soft binding of a file with these units: their bytes in Base64."""
    texts = (unit.removeprefix("ISCC:") for unit in units)
    return base64.b64encode(b"".join(base64.b32decode(text + "=" * (-len(text) % 8)) for text in texts)).decode()
