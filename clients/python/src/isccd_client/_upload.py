"""The body of an upload: a file, bytes or a file object, read only as fast as it is sent."""

from __future__ import annotations

import io
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, Union

import anyio.to_thread

#: A path, bytes, or a file object in binary mode.
Source = Union[str, "os.PathLike[str]", bytes, BinaryIO]

_PIECE_BYTES = 256 * 1024


class Progress(Protocol):
    """Called after each piece that was handed to the connection. `total` is `None` for a source of unknown length."""

    def __call__(self, sent: int, total: int | None) -> object: ...


@dataclass(frozen=True)
class Upload:
    #: Bytes; `None` if unknown.
    size: int | None
    #: Name of the file; `None` if the source has none.
    name: str | None
    #: Whether the source can be read again.
    repeatable: bool
    _open: Callable[[], AbstractContextManager[BinaryIO]]
    _progress: Progress | None

    def pieces(self) -> Iterator[bytes]:
        """A new body."""
        sent = 0
        with self._open() as file:
            while piece := file.read(_PIECE_BYTES):
                yield piece
                sent = self._report(sent + len(piece))

    async def async_pieces(self) -> AsyncIterator[bytes]:
        """A new body. The file is read in a thread."""
        sent = 0
        with self._open() as file:
            while piece := await anyio.to_thread.run_sync(file.read, _PIECE_BYTES):
                yield piece
                sent = self._report(sent + len(piece))

    def _report(self, sent: int) -> int:
        if self._progress is not None:
            self._progress(sent, self.size)
        return sent


def upload_of(source: Source, progress: Progress | None = None) -> Upload:
    """The upload of a source.

    :raises OSError: if a file can't be read
    :raises TypeError: for another source
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return Upload(path.stat().st_size, path.name, True, lambda: path.open("rb"), progress)
    if isinstance(source, bytes):
        return Upload(len(source), None, True, lambda: io.BytesIO(source), progress)
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise TypeError(f"source must be a path, bytes or a file object in binary mode, not {type(source).__name__}")
    name = getattr(source, "name", None)
    return Upload(_rest(source), Path(name).name if isinstance(name, str) else None, False, lambda: nullcontext(source), progress)


def _rest(file: BinaryIO) -> int | None:
    """Bytes from the position of a file to its end; `None` for a pipe."""
    try:
        start = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(start)
    except (AttributeError, OSError):
        return None
    return end - start


def write(file: BinaryIO, piece: bytes) -> None:
    file.write(piece)


async def async_write(file: BinaryIO, piece: bytes) -> None:
    await anyio.to_thread.run_sync(file.write, piece)
