"""Client of the search service."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Union

from typing_extensions import NotRequired, TypedDict, Unpack

from .._lines import AddReport, Asset, batches
from .._upload import Source
from ..errors import InvalidResponse, error_class
from ..openapi.search.api.assets import add_assets, delete_asset, delete_assets, get_asset, list_assets
from ..openapi.search.api.indexes import create_index, delete_index, get_index, list_indexes, put_paths
from ..openapi.search.api.search import search_post
from ..openapi.search.api.watches import delete_watch, get_watch, list_watches, put_watch
from ..openapi.search.models import (
    DeclaredPaths,
    DeletionResult,
    IsccEntry,
    IsccIndex,
    IsccQuery,
    IsccSearchResult,
    NewWatch,
    PutPathsBody,
    Watch,
)
from ..openapi.search.types import UNSET
from .codes import AsyncCodesClient
from .service import AsyncService

#: An ISCC-CODE, a list of ISCC-UNITs, or a whole query.
Query = Union[str, Sequence[str], IsccQuery]

#: Assets per page of a list.
_PAGE = 1000
_LINES = "application/x-ndjson"


class SearchOptions(TypedDict):
    """Parameters of a search; the OpenAPI document describes them."""

    limit: NotRequired[int]
    skip_featureless: NotRequired[bool]
    threshold: NotRequired[float]
    threshold_simprints: NotRequired[float]
    unit_types: NotRequired[str]
    exclude: NotRequired[str]
    min_score: NotRequired[float]
    filter_: NotRequired[list[str]]
    not_in: NotRequired[str]
    cursor: NotRequired[str]
    exact: NotRequired[bool]


class AsyncSearchClient(AsyncService):
    """Named indexes of assets, and search for similar content."""

    def __init__(
        self, base_url: str, *, api_key: str | None = None, codes: AsyncCodesClient | None = None, **options: Any
    ) -> None:
        """
        :param api_key: sent as `X-API-Key`
        :param codes: client of the codes service, for `find`
        :param options: those of every client: `timeout`, `retry`, `headers`, `http`
        """
        headers = {**options.pop("headers", {}), **({} if api_key is None else {"X-API-Key": api_key})}
        super().__init__(base_url, headers=headers, **options)
        self._codes = codes

    async def create_index(self, name: str) -> IsccIndex:
        """Creates an index: lower-case letters and digits."""
        return IsccIndex.from_dict(await self._json(create_index._get_kwargs(body=IsccIndex(name=name))))

    async def list_indexes(self) -> list[IsccIndex]:
        """All indexes that the key may read."""
        return [IsccIndex.from_dict(one) for one in await self._json(list_indexes._get_kwargs())]

    async def get_index(self, name: str) -> IsccIndex:
        """An index: number of assets, size and state."""
        return IsccIndex.from_dict(await self._json(get_index._get_kwargs(name)))

    async def delete_index(self, name: str) -> None:
        """Deletes an index with its assets."""
        await self._send(delete_index._get_kwargs(name))

    async def declare_paths(self, index: str, paths: Sequence[str]) -> DeclaredPaths:
        """Declares the metadata paths that filters can use, instead of the present ones."""
        body = PutPathsBody.from_dict({"paths": list(paths)})
        return DeclaredPaths.from_dict(await self._json(put_paths._get_kwargs(index, body=body)))

    async def put_watch(self, index: str, watch_id: str, watch: Union[NewWatch, Mapping[str, Any]]) -> Watch:
        """Reports assets that match from now on, to a webhook or as events. Replaces the watch with this id."""
        body = watch if isinstance(watch, NewWatch) else NewWatch.from_dict(dict(watch))
        return Watch.from_dict(await self._json(put_watch._get_kwargs(index, watch_id, body=body)))

    async def get_watch(self, index: str, watch_id: str) -> Watch:
        """A watch, and how its deliveries go."""
        return Watch.from_dict(await self._json(get_watch._get_kwargs(index, watch_id)))

    async def list_watches(self, index: str) -> AsyncIterator[Watch]:
        """All watches of an index, sorted by id, one at a time."""
        after: str | None = None
        while True:
            call = list_watches._get_kwargs(index, limit=_PAGE, after=UNSET if after is None else after)
            page = await self._json(call)
            for one in page["watches"]:
                yield Watch.from_dict(one)
            after = page["next"]
            if after is None:
                return

    async def delete_watch(self, index: str, watch_id: str) -> None:
        """Ends a watch."""
        await self._send(delete_watch._get_kwargs(index, watch_id))

    async def add(self, index: str, asset: Asset) -> str:
        """Adds or replaces an asset. Returns `created` or `updated`."""
        body = [asset if isinstance(asset, IsccEntry) else IsccEntry.from_dict(asset)]
        # Repeatable: adding the same asset twice has no further effect.
        [result] = await self._json(add_assets._get_kwargs(index, body=body), repeatable=True)
        return str(result["status"])

    async def add_many(self, index: str, assets: Iterable[Asset]) -> AddReport:
        """Adds or replaces any number of assets as JSON lines, a thousand at a time.

        An asset that breaks a rule is refused and listed in the report; the others are added.

        :raises ServiceError: if the service fails; the assets of all groups before are durable
        """
        report = AddReport()
        for batch in batches(assets):
            call = {**add_assets._get_kwargs(index, body=[]), "content": batch, "headers": {"Content-Type": _LINES}}
            del call["json"]
            before = report.lines
            response = await self._send(call, repeatable=True)
            if not response.headers.get("content-type", "").startswith(_LINES):
                raise InvalidResponse(response, "lines of JSON")
            for line in response.text.splitlines():
                group = json.loads(line)
                if "status" in group:
                    raise error_class(group["status"])(group["status"], {"detail": group.get("detail")})
                report.add(group, before)
        return report

    async def get_asset(self, index: str, iscc_id: str) -> IsccEntry:
        """An asset as it was added."""
        return IsccEntry.from_dict(await self._json(get_asset._get_kwargs(index, iscc_id)))

    async def list_assets(self, index: str, *, filter_: Sequence[str] = ()) -> AsyncIterator[IsccEntry]:
        """All assets in the order of their ISCC-IDs, one at a time."""
        call = list_assets._get_kwargs(index, limit=_PAGE, filter_=list(filter_))
        while True:
            response = await self._send(call)
            for one in response.json():
                yield IsccEntry.from_dict(one)
            link = response.links.get("next")
            if link is None:
                return
            call["params"]["after"] = _parameter(link["url"], "after")

    async def delete_asset(self, index: str, iscc_id: str) -> None:
        """Deletes an asset."""
        await self._send(delete_asset._get_kwargs(index, iscc_id))

    async def delete_many(self, index: str, iscc_ids: Sequence[str]) -> list[DeletionResult]:
        """Deletes the assets that exist."""
        results = await self._json(delete_assets._get_kwargs(index, body=list(iscc_ids)))
        return [DeletionResult.from_dict(one) for one in results]

    async def search(self, index: str, query: Query, **parameters: Unpack[SearchOptions]) -> IsccSearchResult:
        """Finds similar assets, best first.

        :param query: an ISCC-CODE, a list of ISCC-UNITs, or a whole query
        """
        call = search_post._get_kwargs(index, body=_query(query), **parameters)
        # Repeatable: a query.
        return IsccSearchResult.from_dict(await self._json(call, repeatable=True))

    async def find(
        self, index: str, source: Source, *, name: str | None = None, **parameters: Unpack[SearchOptions]
    ) -> IsccSearchResult:
        """Finds assets that are similar to a file. The codes service creates its units; needs `codes`.

        The codes service keeps the file until it expires there, as after every upload.
        """
        if self._codes is None:
            raise ValueError("find needs a client of the codes service: pass codes=CodesClient(...) to the constructor")
        result = await self._codes.create_iscc(source, name=name)
        return await self.search(index, result.units, **parameters)


def _query(query: Query) -> IsccQuery:
    if isinstance(query, IsccQuery):
        return query
    return IsccQuery(iscc_code=query) if isinstance(query, str) else IsccQuery(units=list(query))


def _parameter(url: str, name: str) -> str:
    import httpx

    return httpx.URL(url).params[name]
