from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import MANIFEST, PHOTO, address
from isccd_client import (
    AsyncResolverClient,
    AsyncStoreClient,
    CodesClient,
    InvalidRequest,
    NotFound,
    ResolverClient,
    StoreClient,
)


def test_a_manifest_is_stored_found_fetched_and_deleted(
    store: StoreClient, resolver: ResolverClient, tmp_path: Path
) -> None:
    stored = store.store_manifest(MANIFEST, declare=False)
    assert stored.manifest_id.startswith("urn:")
    assert store.get_manifest(stored.manifest_id) == MANIFEST.read_bytes()
    assert store.save_manifest(stored.manifest_id, tmp_path / "a.c2pa") == MANIFEST.stat().st_size
    assert store.get_summary(stored.manifest_id)["sha256"] == hashlib.sha256(MANIFEST.read_bytes()).hexdigest()
    assert stored.manifest_id in [one.manifest_id for one in store.list_manifests()]
    alg, value = binding_of(store.get_summary(stored.manifest_id, detailed=True))
    for client in (store, resolver):
        [match] = [one for one in client.query_by_binding(alg, value) if one.manifest_id == stored.manifest_id]
        assert match.score in (100, None)
    assert resolver.manifest_of(match) == MANIFEST.read_bytes()
    watermark = base64.b64encode(os.urandom(16)).decode()
    store.add_binding(stored.manifest_id, watermark, alg="com.example.mark", declare=False)
    [bound] = store.query_by_binding("com.example.mark", watermark)
    assert bound.manifest_id == stored.manifest_id
    verified = store.get_verified_receipt(stored.manifest_id)
    assert verified.verified is True
    assert store.verify_receipt(stored.manifest_id, verified.to_dict()).verified is True
    origin = address("store").split("//")[1] + "/log"
    assert store.get_log_file().decode().splitlines()[0] == origin
    assert len(store.get_log_file("tile/0/000.p/1")) == 32
    store.delete_manifest(stored.manifest_id)
    with pytest.raises(NotFound):
        store.get_manifest(stored.manifest_id)
    with pytest.raises(InvalidRequest):
        store.store_manifest(b"no manifest")


def binding_of(details: dict[str, Any]) -> tuple[str, str]:
    """Algorithm and value of the soft binding of a manifest."""
    [found] = [
        assertion
        for manifest in details["manifests"].values()
        for label, assertion in manifest["assertion_store"].items()
        if label.startswith("c2pa.soft-binding")
    ]
    # Byte strings are written as b64'...'.
    return found["alg"], found["blocks"][0]["value"].removeprefix("b64'").removesuffix("'")


def test_check_by_content_and_by_codes(store: StoreClient, resolver: ResolverClient, codes: CodesClient) -> None:
    checked = resolver.check(PHOTO)
    assert checked.iscc == codes.create_iscc(PHOTO).iscc
    assert store.find(PHOTO).iscc == checked.iscc
    with ResolverClient(address("resolver"), codes=codes) as by_codes:
        assert by_codes.check(PHOTO) == checked


def test_rights(resolver: ResolverClient, codes: CodesClient) -> None:
    report = resolver.rights(PHOTO)
    assert resolver.rights_by_code(codes.create_iscc(PHOTO).iscc).summary == report.summary


@pytest.mark.anyio
async def test_asynchronously(store: StoreClient, resolver: ResolverClient) -> None:
    expected = resolver.check(PHOTO)
    async with AsyncResolverClient(address("resolver")) as client, AsyncStoreClient(address("store")) as stores:
        assert await client.check(PHOTO) == expected
        assert (await stores.find(PHOTO)).iscc == expected.iscc
