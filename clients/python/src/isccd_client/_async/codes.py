"""Client of the codes service."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO, Literal, Union

from .._retry import async_sleep
from .._upload import Progress, Source, upload_of
from ..errors import JobFailed
from ..openapi.codes.api.iscc import create_iscc, explain_iscc, get_iscc
from ..openapi.codes.api.jobs import cancel_job, get_job
from ..openapi.codes.api.media import delete_file, download_file, upload_file
from ..openapi.codes.api.metadata import embed_metadata, extract_metadata
from ..openapi.codes.api.simprint import create_simprints
from ..openapi.codes.models import (
    EmbeddedMetadata,
    EmbedResult,
    InlineMetadata,
    IsccDetail,
    IsccMetadata,
    Job,
    SimprintRequest,
    Simprints,
    StoredIsccMetadata,
    UploadResponse,
)
from ..openapi.codes.types import UNSET, File, Unset
from .service import AsyncService

#: Name of an upload whose source has none.
_DEFAULT_NAME = "upload"
_NO_FILE = File(payload=b"")  # type: ignore[arg-type]


class AsyncCodesClient(AsyncService):
    """Codes of files: `await AsyncCodesClient("http://127.0.0.1:8000").create_iscc("photo.jpg")`."""

    async def create_iscc(
        self,
        source: Source,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        content_type: str | None = None,
        semantic: bool | Unset = UNSET,
        granular: bool | Unset = UNSET,
        fallback: Literal["sum", "off"] | Unset = UNSET,
    ) -> IsccMetadata:
        """Uploads a file as a stream and creates its ISCC-CODE.

        Not repeated once the service may have received it.

        :param source: a path, bytes, or a file object in binary mode
        :param name: file name, whose extension helps to detect the media type. Default: that of the source
        :param progress: called with the number of sent bytes and their total
        :param semantic: whether to add the experimental Semantic-Code
        :param granular: whether to include granular simprints of texts
        :param fallback: `sum`: a damaged file gets an ISCC-SUM instead of an error
        """
        upload = upload_of(source, progress)
        call = create_iscc._get_kwargs(
            filename=name or upload.name or _DEFAULT_NAME, semantic=semantic, granular=granular, fallback=fallback
        )
        return IsccMetadata.from_dict(await self._json(_typed(call, content_type), upload=upload))

    async def start_iscc(
        self,
        source: Source,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        content_type: str | None = None,
        semantic: bool | Unset = UNSET,
        granular: bool | Unset = UNSET,
        fallback: Literal["sum", "off"] | Unset = UNSET,
    ) -> Job:
        """Like `create_iscc`, but returns when the file is received. `wait` waits for the code."""
        upload = upload_of(source, progress)
        call = create_iscc._get_kwargs(
            filename=name or upload.name or _DEFAULT_NAME, semantic=semantic, granular=granular, fallback=fallback
        )
        call["headers"]["Prefer"] = "respond-async"
        return Job.from_dict(await self._json(_typed(call, content_type), upload=upload))

    async def get_job(self, job_id: str) -> Job:
        """The state of a job."""
        return Job.from_dict(await self._json(get_job._get_kwargs(job_id)))

    async def wait(self, job: Job, *, interval: float = 0.5) -> StoredIsccMetadata:
        """Waits for a job and returns its result.

        :param interval: seconds between two requests
        :raises JobFailed: if it failed or was cancelled
        """
        while job.state == "running":
            await async_sleep(interval)
            job = await self.get_job(job.id)
        if job.state == "done" and isinstance(job.media_id, str):
            return await self.get_iscc(job.media_id)
        if isinstance(job.error, Unset):
            raise JobFailed(job.id, None, "JOB_CANCELLED", f"the job was {job.state}")
        raise JobFailed(job.id, job.error.status, job.error.code, job.error.detail)

    async def cancel_job(self, job_id: str) -> None:
        """Cancels a job and forgets it."""
        await self._send(cancel_job._get_kwargs(job_id))

    async def get_iscc(self, media_id: str) -> StoredIsccMetadata:
        """The stored result of an upload."""
        return StoredIsccMetadata.from_dict(await self._json(get_iscc._get_kwargs(media_id)))

    async def upload(
        self,
        source: Source,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        content_type: str | None = None,
    ) -> UploadResponse:
        """Uploads a file without processing it."""
        upload = upload_of(source, progress)
        call = upload_file._get_kwargs(body=_NO_FILE, filename=name or upload.name or _DEFAULT_NAME)
        return UploadResponse.from_dict(await self._json(_typed(call, content_type), upload=upload))

    async def download(self, media_id: str, target: Union[str, Path, BinaryIO]) -> int:
        """Writes an uploaded file to a path or file object. Returns its number of bytes."""
        return await self._save(download_file._get_kwargs(media_id), target)

    async def delete(self, media_id: str) -> None:
        """Deletes an uploaded file and its results."""
        await self._send(delete_file._get_kwargs(media_id))

    async def extract_metadata(self, media_id: str) -> EmbeddedMetadata:
        """The metadata embedded in an uploaded file."""
        return EmbeddedMetadata.from_dict(await self._json(extract_metadata._get_kwargs(media_id)))

    async def embed_metadata(self, media_id: str, metadata: InlineMetadata) -> EmbedResult:
        """Embeds metadata into a copy of an uploaded file and creates the code of the copy."""
        return EmbedResult.from_dict(await self._json(embed_metadata._get_kwargs(media_id, body=metadata)))

    async def explain(self, iscc: str) -> IsccDetail:
        """Decomposes an ISCC."""
        return IsccDetail.from_dict(await self._json(explain_iscc._get_kwargs(iscc)))

    async def simprints(self, text: str) -> Simprints:
        """Simprints of a text."""
        call = create_simprints._get_kwargs(body=SimprintRequest(text=text))
        # Repeatable, because the service stores nothing.
        return Simprints.from_dict(await self._json(call, repeatable=True))


def _typed(call: dict[str, Any], content_type: str | None) -> dict[str, Any]:
    call["headers"]["Content-Type"] = content_type or "application/octet-stream"
    return call
