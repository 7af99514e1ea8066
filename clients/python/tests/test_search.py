from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import PHOTO, address, iscc_ids
from isccd_client import AsyncCodesClient, AsyncSearchClient, CodesClient, Conflict, NotFound, SearchClient
from isccd_client.openapi.search.models import IsccEntry, IsccQuery


def test_an_index(search: SearchClient, index: str) -> None:
    assert index in [one.name for one in search.list_indexes()]
    assert search.get_index(index).assets == 0
    with pytest.raises(Conflict):
        search.create_index(index)
    with pytest.raises(NotFound):
        search.get_index("missing")


def test_watches(search: SearchClient, index: str) -> None:
    code = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI"
    for name in ("lake", "sea"):
        assert search.put_watch(index, name, {"query": {"iscc_code": code}}).id == name
    assert search.get_watch(index, "lake").id == "lake"
    assert [one.id for one in search.list_watches(index)] == ["lake", "sea"]
    search.delete_watch(index, "lake")
    assert [one.id for one in search.list_watches(index)] == ["sea"]


def test_find_by_file(search: SearchClient, codes: CodesClient, index: str) -> None:
    [iscc_id] = iscc_ids(1)
    result = codes.create_iscc(PHOTO)
    asset = {"iscc_id": iscc_id, "iscc_code": result.iscc, "units": result.units, "metadata": {"name": "Lake"}}
    assert search.add(index, asset) == "created"
    assert search.add(index, IsccEntry.from_dict(asset)) == "updated"
    assert search.get_asset(index, iscc_id).iscc_code == result.iscc
    queries: list[str | list[str] | IsccQuery] = [result.iscc, result.units, IsccQuery(iscc_id=iscc_id)]
    for query in queries[:2]:
        assert [one.iscc_id for one in search.search(index, query, limit=5).global_matches] == [iscc_id]
    # An asset is no match of itself.
    assert search.search(index, queries[2]).global_matches == []
    [match] = search.find(index, PHOTO, limit=3, min_score=0.5).global_matches
    assert (match.iscc_id, match.score) == (iscc_id, 1.0)
    search.delete_asset(index, iscc_id)
    assert search.find(index, PHOTO).global_matches == []


def assets(count: int) -> Iterator[dict[str, Any]]:
    code = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI"
    for number, iscc_id in enumerate(iscc_ids(count)):
        yield {"iscc_id": iscc_id, "iscc_code": code, "metadata": {"number": number, "name": "Straße"}}


def test_many_assets_are_added_and_listed(search: SearchClient, index: str) -> None:
    report = search.add_many(index, assets(2500))
    assert (report.lines, report.created, report.updated, report.refused) == (2500, 2500, 0, [])
    again = search.add_many(index, assets(1001))
    assert (again.created, again.updated) == (0, 1001)
    listed = [one.iscc_id for one in search.list_assets(index)]
    assert listed == iscc_ids(2500)
    deleted = search.delete_many(index, iscc_ids(10))
    assert len(deleted) == 10 and search.get_index(index).assets == 2490


def test_a_wrong_asset_is_refused_with_its_number(search: SearchClient, index: str) -> None:
    entries = list(assets(1500))
    entries[1200]["iscc_code"] = "ISCC:BANANA"
    report = search.add_many(index, entries)
    assert (report.lines, report.created) == (1500, 1499)
    [refused] = report.refused
    assert refused.line == 1201 and refused.detail


def test_no_assets(search: SearchClient, index: str) -> None:
    assert search.add_many(index, []).lines == 0


def test_find_needs_a_client_of_the_codes_service() -> None:
    with SearchClient(address("search")) as client, pytest.raises(ValueError, match="codes=CodesClient"):
        client.find("photos", PHOTO)


@pytest.mark.anyio
async def test_asynchronously(search: SearchClient, index: str) -> None:
    async with (
        AsyncCodesClient(address("codes")) as codes,
        AsyncSearchClient(address("search"), api_key=os.environ.get("ISCCD_TEST_SEARCH_KEY"), codes=codes) as client,
    ):
        assert (await client.add_many(index, assets(1200))).created == 1200
        assert len([one async for one in client.list_assets(index)]) == 1200
        assert (await client.find(index, PHOTO, limit=1)).global_matches == []
