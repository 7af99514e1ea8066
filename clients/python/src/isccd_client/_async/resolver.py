"""Client of the resolver."""

from __future__ import annotations

from typing import Any

from .._matches import ISCC_ALGORITHM, Checked, Match, binding_value, matches_of
from .._upload import Source, upload_of
from ..openapi.resolver.api.manifests import get_manifest_by_id
from ..openapi.resolver.api.matches import query_by_large_binding, upload_file
from ..openapi.resolver.api.rights import get_rights_by_code, get_rights_by_content
from ..openapi.resolver.models import C2PaSoftBindingQuery, RightsCodeQuery, RightsReport
from ..openapi.resolver.types import UNSET, File
from .codes import AsyncCodesClient
from .service import AsyncService

_NO_FILE = File(payload=b"")  # type: ignore[arg-type]


class AsyncResolverClient(AsyncService):
    """Finds the C2PA manifests of content by its ISCC, and fetches them."""

    def __init__(self, base_url: str, *, codes: AsyncCodesClient | None = None, **options: Any) -> None:
        """
        :param codes: client of the codes service, for `check` with a resolver that takes no files (`RESOLVER_BY_CONTENT`)
        :param options: those of every client: `timeout`, `retry`, `headers`, `http`
        """
        super().__init__(base_url, **options)
        self._codes = codes

    async def check(self, source: Source, *, name: str | None = None, max_results: int = 10) -> Checked:
        """Finds the manifests of a file. `manifest_of` fetches that of a match.

        With `codes`, the codes service gets the file and the resolver only its units. Otherwise the resolver gets the file,
        and also finds it by the manifest that it embeds.
        """
        if self._codes is not None:
            result = await self._codes.create_iscc(source, name=name)
            value = binding_value(result.units)
            return Checked(result.iscc, await self.query_by_binding(ISCC_ALGORITHM, value, max_results=max_results))
        upload = upload_of(source)
        filename = name or upload.name or UNSET
        call = upload_file._get_kwargs(body=_NO_FILE, max_results=max_results, filename=filename)
        body = await self._json(call, upload=upload, repeatable=True)
        return Checked(body["iscc"], matches_of(body))

    async def query_by_binding(self, alg: str, value: str, *, max_results: int = 10) -> list[Match]:
        """The manifests with a soft binding that matches, best first.

        :param value: in Base64
        """
        body = C2PaSoftBindingQuery(alg=alg, value=value)
        call = query_by_large_binding._get_kwargs(body=body, max_results=max_results)
        # Repeatable: a query.
        return matches_of(await self._json(call, repeatable=True))

    async def manifest_of(self, match: Match) -> bytes:
        """The manifest of a match, from the endpoint of the match."""
        call = get_manifest_by_id._get_kwargs(match.manifest_id)
        if match.endpoint is None:
            return (await self._send(call)).content
        call["url"] = call["url"].removeprefix("/v1")
        async with AsyncService(match.endpoint, retry=self._retry, http=self._http) as endpoint:
            return (await endpoint._send(call)).content

    async def rights(self, source: Source, *, name: str | None = None, min_score: int = 90) -> RightsReport:
        """Who says what about mining and training of a file (`RESOLVER_RIGHTS`)."""
        upload = upload_of(source)
        filename = name or upload.name or UNSET
        call = get_rights_by_content._get_kwargs(body=_NO_FILE, min_score=min_score, filename=filename)
        return RightsReport.from_dict(await self._json(call, upload=upload, repeatable=True))

    async def rights_by_code(self, iscc: str, *, min_score: int = 90) -> RightsReport:
        """Who says what about mining and training of the content with an ISCC-CODE or ISCC-UNIT."""
        call = get_rights_by_code._get_kwargs(body=RightsCodeQuery(iscc=iscc), min_score=min_score)
        return RightsReport.from_dict(await self._json(call, repeatable=True))
