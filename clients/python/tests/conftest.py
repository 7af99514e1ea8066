"""Addresses of running services, from the environment."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from isccd_client import CodesClient, ResolverClient, SearchClient, StoreClient

FIXTURES = Path(__file__).parents[3] / "test" / "fixtures"
PHOTO = FIXTURES / "codes" / "files" / "photo-q85_a.jpg"
MANIFEST = FIXTURES / "c2pa" / "manifests" / "ok-es256-iscc4.c2pa"


def address(service: str) -> str:
    return os.environ[f"ISCCD_TEST_{service.upper()}"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def codes() -> Iterator[CodesClient]:
    with CodesClient(address("codes")) as client:
        yield client


@pytest.fixture
def search(codes: CodesClient) -> Iterator[SearchClient]:
    with SearchClient(address("search"), api_key=os.environ.get("ISCCD_TEST_SEARCH_KEY"), codes=codes) as client:
        yield client


@pytest.fixture
def store() -> Iterator[StoreClient]:
    with StoreClient(address("store"), operator_token=os.environ.get("ISCCD_TEST_STORE_TOKEN")) as client:
        yield client


@pytest.fixture
def resolver() -> Iterator[ResolverClient]:
    with ResolverClient(address("resolver")) as client:
        yield client


@pytest.fixture
def index(search: SearchClient) -> Iterator[str]:
    name = f"python{uuid4().hex[:16]}"
    search.create_index(name)
    yield name
    search.delete_index(name)


def iscc_ids(count: int) -> list[str]:
    """ISCC-IDs of realm 0, as a hub would issue them."""
    return [
        "ISCC:" + base64.b32encode(bytes([0x60, 0x10]) + number.to_bytes(8, "big")).decode().rstrip("=")
        for number in range(1 << 32, (1 << 32) + count)
    ]
