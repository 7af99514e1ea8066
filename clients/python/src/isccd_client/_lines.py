"""Assets as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from .openapi.search.models import IsccEntry

#: An asset, as a model or as its JSON object.
Asset = Union[IsccEntry, Mapping[str, Any]]

#: The service makes a group of up to 1000 lines durable at a time.
LINES_MAX = 1000
BYTES_MAX = 4 * 1024 * 1024


@dataclass(frozen=True)
class RefusedLine:
    """An asset that breaks a rule."""

    #: Number of the asset, from 1.
    line: int
    #: `None` if the service could not read the asset.
    iscc_id: str | None
    #: The detail of the error that the asset alone would get.
    detail: Any


@dataclass
class AddReport:
    """What became of the assets of `add_many`."""

    lines: int = 0
    created: int = 0
    updated: int = 0
    refused: list[RefusedLine] = field(default_factory=list)

    def add(self, group: Mapping[str, Any], before: int) -> None:
        """Adds the service's report on a group of a request, before which there were `before` lines."""
        self.lines += group["lines"]
        self.created += group["created"]
        self.updated += group["updated"]
        self.refused += [
            RefusedLine(before + one["line"], one.get("iscc_id"), one.get("detail")) for one in group["refused"]
        ]


def batches(assets: Iterable[Asset]) -> Iterator[bytes]:
    """The assets as bodies of requests."""
    lines: list[bytes] = []
    size = 0
    for asset in assets:
        value = asset.to_dict() if isinstance(asset, IsccEntry) else asset
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if lines and (len(lines) >= LINES_MAX or size + len(line) > BYTES_MAX):
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)
