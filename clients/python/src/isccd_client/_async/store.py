"""Client of the manifest store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Union

from .._matches import Checked, Match, matches_of
from .._upload import Progress, Source, upload_of
from ..openapi.store.api.bindings import associate_manifest, update_associated_manifest
from ..openapi.store.api.log import get_store_log_file
from ..openapi.store.api.manifests import (
    delete_manifest,
    get_manifest_by_id,
    get_manifest_receipt,
    get_manifest_thumbnail,
    get_verified_receipt,
    list_manifests,
    store_manifest,
    verify_receipt,
)
from ..openapi.store.api.matches import query_by_large_binding, upload_file
from ..openapi.store.models import (
    BindingRequest,
    C2PaSoftBindingQuery,
    GivenReceipt,
    ListedManifest,
    Receipt,
    VerifiedReceipt,
)
from ..openapi.store.models import Upload as StoredManifest
from ..openapi.store.types import UNSET, File, Unset
from .service import AsyncService

_PAGE = 1000
_NO_FILE = File(payload=b"")  # type: ignore[arg-type]


class AsyncStoreClient(AsyncService):
    """C2PA Manifest Stores, found by their soft bindings."""

    def __init__(
        self, base_url: str, *, upload_token: str | None = None, operator_token: str | None = None, **options: Any
    ) -> None:
        """
        :param upload_token: token of a publisher: stores manifests as theirs, lists and deletes them
        :param operator_token: for `delete_manifest` and `list_manifests`
        :param options: those of every client: `timeout`, `retry`, `headers`, `http`
        """
        super().__init__(base_url, **options)
        self._upload_token = _bearer(upload_token)
        self._token = _bearer(operator_token or upload_token)

    async def store_manifest(
        self,
        source: Source,
        *,
        declare: bool | Unset = UNSET,
        return_receipt: bool | Unset = UNSET,
        progress: Progress | None = None,
    ) -> StoredManifest:
        """Stores a bare Manifest Store. Not repeated once the service may have received it.

        :param declare: whether to declare it to a hub. Default: the setting of the service
        """
        call = store_manifest._get_kwargs(body=_NO_FILE, declare=declare, return_receipt=return_receipt)
        call["headers"] = {"Content-Type": "application/c2pa", **self._upload_token}
        return StoredManifest.from_dict(await self._json(call, upload=upload_of(source, progress)))

    async def get_manifest(self, manifest_id: str) -> bytes:
        """The bytes as uploaded."""
        return (await self._send(get_manifest_by_id._get_kwargs(manifest_id))).content

    async def save_manifest(self, manifest_id: str, target: Union[str, Path, BinaryIO]) -> int:
        """Writes the bytes as uploaded to a path or file object. Returns their number."""
        return await self._save(get_manifest_by_id._get_kwargs(manifest_id), target)

    async def get_summary(self, manifest_id: str, *, detailed: bool = False) -> dict[str, Any]:
        """What a manifest says, and what the store knows about it. Texts are claims of its signer.

        :param detailed: whether to return all that the Manifest Store contains, as the c2pa library reads it
        """
        call = get_manifest_by_id._get_kwargs(manifest_id, detailed=detailed)
        value: dict[str, Any] = await self._json({**call, "headers": {"Accept": "application/json"}})
        return value

    async def save_thumbnail(self, manifest_id: str, target: Union[str, Path, BinaryIO]) -> int:
        """Writes the thumbnail of the asset that a manifest contains. Returns its number of bytes."""
        return await self._save(get_manifest_thumbnail._get_kwargs(manifest_id), target)

    async def get_receipt(self, manifest_id: str) -> Receipt:
        """The signed receipt of a manifest."""
        return Receipt.from_dict(await self._json(get_manifest_receipt._get_kwargs(manifest_id)))

    async def get_verified_receipt(self, manifest_id: str) -> VerifiedReceipt:
        """The receipt of a manifest in the form of the C2PA, and that the store verifies it."""
        return VerifiedReceipt.from_dict(await self._json(get_verified_receipt._get_kwargs(manifest_id)))

    async def verify_receipt(self, manifest_id: str, receipt: Mapping[str, Any]) -> VerifiedReceipt:
        """Whether a receipt is one of the store for this manifest, and its entry is in the log."""
        call = verify_receipt._get_kwargs(manifest_id, body=GivenReceipt.from_dict(dict(receipt)))
        # Repeatable: a query.
        return VerifiedReceipt.from_dict(await self._json(call, repeatable=True))

    async def get_log_file(self, path: str = "checkpoint") -> bytes:
        """A file of the store's transparency log: `checkpoint`, or a path below `tile/`."""
        call = get_store_log_file._get_kwargs(path)
        # The generated package escapes the slashes of a path.
        return (await self._send({**call, "url": f"/log/{path}"})).content

    async def add_binding(
        self, manifest_id: str, value: str, *, alg: str | Unset = UNSET, declare: bool | Unset = UNSET
    ) -> None:
        """Binds a value to a stored manifest that does not name it, such as a watermark.

        :param value: in Base64; an ISCC also as text
        :param alg: can be left out if the value is an ISCC as text
        """
        body = BindingRequest(manifest_id=manifest_id, binding_value=value, alg=alg)
        call = associate_manifest._get_kwargs(body=body, declare=declare)
        # Repeatable: a binding that the manifest has already changes nothing.
        await self._send({**call, "headers": {**call["headers"], **self._token}}, repeatable=True)

    async def move_binding(
        self, manifest_id: str, value: str, *, alg: str | Unset = UNSET, declare: bool | Unset = UNSET
    ) -> None:
        """Binds a value to another manifest than the one that `add_binding` bound it to."""
        body = BindingRequest(manifest_id=manifest_id, binding_value=value, alg=alg)
        call = update_associated_manifest._get_kwargs(body=body, declare=declare)
        await self._send({**call, "headers": {**call["headers"], **self._token}})

    async def list_manifests(self, *, after: int | None = None) -> AsyncIterator[ListedManifest]:
        """The publisher's manifests, oldest first, one at a time; with the operator token, those of all.

        :param after: `key` of the manifest to continue after
        """
        last = after
        while True:
            call = list_manifests._get_kwargs(limit=_PAGE, after=UNSET if last is None else last)
            page = [ListedManifest.from_dict(one) for one in await self._json({**call, "headers": self._token})]
            for one in page:
                yield one
            if len(page) < _PAGE:
                return
            last = page[-1].key

    async def delete_manifest(self, manifest_id: str) -> None:
        """Deletes a manifest and withdraws its declaration."""
        await self._send({**delete_manifest._get_kwargs(manifest_id), "headers": self._token})

    async def query_by_binding(self, alg: str, value: str, *, max_results: int = 10) -> list[Match]:
        """The manifests with a soft binding that matches, best first.

        :param value: in Base64
        """
        body = C2PaSoftBindingQuery(alg=alg, value=value)
        # Repeatable: a query.
        call = query_by_large_binding._get_kwargs(body=body, max_results=max_results)
        return matches_of(await self._json(call, repeatable=True))

    async def find(self, source: Source, *, name: str | None = None, max_results: int = 10) -> Checked:
        """Finds the manifests of a file, which the service does not keep (`MSTORE_BY_CONTENT`)."""
        upload = upload_of(source)
        filename = name or upload.name or UNSET
        call = upload_file._get_kwargs(body=_NO_FILE, max_results=max_results, filename=filename)
        body = await self._json(call, upload=upload, repeatable=True)
        return Checked(body["iscc"], matches_of(body))


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}
