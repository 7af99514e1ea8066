"""Sends the requests of all clients: addresses, responses, errors and retries."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Union

import httpx
from typing_extensions import Self

from .._retry import Retry, async_sleep, retry_after
from .._upload import Upload, async_write
from ..errors import ConnectionFailed, InvalidResponse, ServiceError, error_class

#: Seconds. Processing a large file takes minutes, and the response starts after it.
TIMEOUT = 15 * 60.0
_CONNECT_TIMEOUT = 10.0


class AsyncService:
    """A service at an address. Use it as a context manager, or call `aclose`."""

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        retry: Retry | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """
        :param base_url: for example `http://127.0.0.1:8000`
        :param headers: sent with every request
        :param timeout: seconds to wait for a response, and between two pieces of it
        :param http: your own client, for proxies and certificates; `aclose` leaves it open
        """
        url = httpx.URL(base_url)
        if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
            raise ValueError(f"base_url must be an http or https URL without query and fragment, not {base_url!r}")
        self._base = base_url.rstrip("/")
        self._headers = dict(headers or {})
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT))
        self._retry = retry or Retry()
        self._http = http or httpx.AsyncClient()
        self._owns_http = http is None

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _json(self, call: Mapping[str, Any], **options: Any) -> Any:
        """The JSON of a successful response: an object or a list."""
        response = await self._send(call, **options)
        try:
            value = response.json()
        except ValueError:
            value = None
        if not isinstance(value, (dict, list)):
            raise InvalidResponse(response, "JSON")
        return value

    async def _send(
        self, call: Mapping[str, Any], *, repeatable: bool | None = None, upload: Upload | None = None
    ) -> httpx.Response:
        """Sends a request of the generated package until it succeeds or must not be repeated.

        :param repeatable: whether repeating it has no further effect. Default: of all methods except POST
        """
        may_repeat = call["method"] != "post" if repeatable is None else repeatable
        retry = self._retry if upload is None or upload.repeatable else Retry(attempts=1)
        attempt = 1
        while True:
            try:
                async with self._response(call, upload) as response:
                    await response.aread()
                    return response
            except (ServiceError, ConnectionFailed) as error:
                pause = retry.pause(error, attempt, may_repeat)
                if pause is None:
                    raise
            attempt += 1
            await async_sleep(pause)

    async def _save(self, call: Mapping[str, Any], target: Union[str, Path, BinaryIO]) -> int:
        """Writes the body of a response to a file as it arrives. Returns its number of bytes."""
        if isinstance(target, (str, Path)):
            with open(target, "wb") as file:
                return await self._save(call, file)
        size = 0
        async with self._response(call) as response:
            async for piece in response.aiter_bytes():
                await async_write(target, piece)
                size += len(piece)
        return size

    @asynccontextmanager
    async def _response(self, call: Mapping[str, Any], upload: Upload | None = None) -> AsyncIterator[httpx.Response]:
        """A successful response, whose body has not been read."""
        url = self._base + call["url"]
        request = {**call, "url": url, "headers": {**self._headers, **call.get("headers", {})}, "timeout": self._timeout}
        if upload is not None:
            request["content"] = upload.async_pieces()
            if upload.size is not None:
                request["headers"]["Content-Length"] = str(upload.size)
        try:
            response = await self._http.send(self._http.build_request(**request), stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                    raise error_of(response)
                yield response
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            is_early = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
            raise ConnectionFailed(url, not is_early, error) from error


def error_of(response: httpx.Response) -> ServiceError:
    """The error of a response."""
    try:
        body = json.loads(response.text)
    except ValueError:
        # A proxy may respond with text or HTML.
        body = response.text
    headers = response.headers
    return error_class(response.status_code)(
        response.status_code,
        body,
        request_id=headers.get("x-request-id"),
        retry_after=retry_after(headers.get("retry-after")),
    )
