"""What happens between a request and its response, against a server of the test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from isccd_client import (
    CodesClient,
    ConnectionFailed,
    InvalidResponse,
    Retry,
    SearchClient,
    ServerFault,
    Throttled,
    Unavailable,
)

FAST = Retry(first_pause=0.01)
Response = tuple[int, dict[str, str], str]
JOB = json.dumps({"id": "a", "state": "done", "percent": 100})


@contextmanager
def server(*responses: Response) -> Iterator[tuple[str, list[str]]]:
    """A server that sends these responses in turn, the last one again and again, and the requests that it got."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", "0")))
            seen.append(f"{self.command} {self.path}")
            status, headers, body = responses[min(len(seen), len(responses)) - 1]
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body.encode())), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = do_DELETE = respond

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}", seen
        finally:
            listening.shutdown()
            thread.join()


def test_a_query_is_repeated_until_the_service_is_ready() -> None:
    with server((503, {}, "starting"), (502, {}, ""), (200, {}, JOB)) as (url, seen):
        with CodesClient(url, retry=FAST) as codes:
            assert codes.get_job("a").state == "done"
        assert len(seen) == 3


def test_an_upload_is_sent_once() -> None:
    with server((503, {}, "busy")) as (url, seen), CodesClient(url, retry=FAST) as codes:
        with pytest.raises(Unavailable, match="busy"):
            codes.create_iscc(b"text", name="a.txt")
        assert seen == ["POST /api/v1/iscc?filename=a.txt"]


def test_throttled_requests_are_repeated_only_if_the_service_says_when() -> None:
    with server((429, {}, "too many"), (200, {}, JOB)) as (url, seen), CodesClient(url, retry=FAST) as codes:
        with pytest.raises(Throttled):
            codes.get_job("a")
        assert len(seen) == 1
    with server((429, {"Retry-After": "0"}, ""), (200, {}, JOB)) as (url, seen), CodesClient(url) as codes:
        assert codes.get_job("a").state == "done"
    with server((429, {"Retry-After": "3600"}, "")) as (url, seen), CodesClient(url) as codes:
        with pytest.raises(Throttled) as refused:
            codes.get_job("a")
        assert refused.value.retry_after == 3600


@pytest.mark.parametrize(
    "call", [lambda codes: codes.get_job("a"), lambda codes: codes.create_iscc(b"text")], ids=["GET", "POST"]
)
def test_a_login_page_is_no_response_of_the_service(call: Callable[[CodesClient], object]) -> None:
    with server((200, {}, "<html>Please log in</html>")) as (url, _), CodesClient(url) as codes:
        with pytest.raises(InvalidResponse, match="must be JSON, but it is <html>Please log in"):
            call(codes)


def test_no_server() -> None:
    with CodesClient("http://127.0.0.1:9", retry=FAST) as codes, pytest.raises(ConnectionFailed) as failed:
        codes.create_iscc(b"text")
    assert not failed.value.may_be_received


def test_violations_are_named() -> None:
    detail = [{"loc": ["body", "iscc_code"], "msg": "is not a code", "type": "x"}]
    with server((422, {}, json.dumps({"detail": detail}))) as (url, _), SearchClient(url) as search:
        with pytest.raises(Exception, match="^body.iscc_code: is not a code$"):
            search.create_index("a")


def test_a_failure_in_the_report_of_lines_is_an_error() -> None:
    lines = '{"lines":1,"created":1,"updated":0,"refused":[]}\n{"line":2,"status":507,"detail":"the disk is full"}\n'
    with server((200, {"Content-Type": "application/x-ndjson"}, lines)) as (url, _), SearchClient(url) as search:
        with pytest.raises(Unavailable, match="the disk is full"):
            search.add_many("a", [{"iscc_id": "x"}])


def test_server_faults_are_not_repeated() -> None:
    with server((500, {}, "Internal Server Error")) as (url, seen), CodesClient(url, retry=FAST) as codes:
        with pytest.raises(ServerFault):
            codes.get_job("a")
        assert len(seen) == 1


def test_paths_are_escaped() -> None:
    with server((200, {}, json.dumps({"name": "a"}))) as (url, seen), SearchClient(url + "/base/") as search:
        search.get_index("a/b c")
        assert seen == ["GET /base/indexes/a%2Fb%20c"]
