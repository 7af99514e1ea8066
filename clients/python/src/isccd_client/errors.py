"""Errors, one class per family. An error response is a :class:`ServiceError`; a missing one a :class:`ConnectionFailed`."""

from __future__ import annotations

from typing import Any

import httpx

#: Characters of a body that a message shows.
_BODY_SHOWN = 60


class IsccdError(Exception):
    """Base class of all errors of this package."""


class ServiceError(IsccdError):
    """The service returned an error."""

    def __init__(self, status: int, body: Any, *, request_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(_message(status, body))
        self.status = status
        #: Parsed if it is JSON, otherwise text.
        self.body = body
        #: The service's error code, for example `FILE_DAMAGED`; otherwise `http.` and the status.
        self.code: str = _member(body, "code") or f"http.{status}"
        #: Identifies the request in the log of the service.
        self.request_id = request_id
        #: Seconds after which a retry makes sense.
        self.retry_after = retry_after


class InvalidRequest(ServiceError):
    """The request breaks a rule: 400, 411, 413, 415, 416, 422 and all other 4xx without a class of their own."""


class AccessDenied(ServiceError):
    """The key or token is missing or wrong, or the caller is not the uploader: 401, 403."""


class NotFound(ServiceError):
    """Unknown, expired or deleted: 404, 410."""


class Conflict(ServiceError):
    """The resource exists already: 409."""


class Throttled(ServiceError):
    """Too many requests from this client: 429."""


class Unavailable(ServiceError):
    """The service is busy, starting, out of disk space or unreachable for its proxy: 502, 503, 504, 507."""


class ServerFault(ServiceError):
    """The service failed: any other 5xx."""


class JobFailed(IsccdError):
    """A job ended without a result."""

    def __init__(self, job_id: str, status: int | None, code: str, detail: str) -> None:
        super().__init__(detail)
        self.job_id = job_id
        #: The status that the request would have had without `Prefer: respond-async`; `None` if it was cancelled.
        self.status = status
        self.code = code


class ConnectionFailed(IsccdError):
    """There was no response, or it was incomplete."""

    def __init__(self, url: str, may_be_received: bool, cause: Exception) -> None:
        super().__init__(f"{url}: {cause or type(cause).__name__}")
        #: False if no connection was made, so that the service cannot have received the request.
        self.may_be_received = may_be_received


class InvalidResponse(IsccdError):
    """A successful response that does not have the form of the operation, such as a login page instead of JSON."""

    def __init__(self, response: httpx.Response, rule: str) -> None:
        text = " ".join(response.text.split())
        start = f"{text[:_BODY_SHOWN]}…" if len(text) > _BODY_SHOWN else text
        found = f"it is {start}" if start else "it is empty"
        super().__init__(
            f"{response.url}: the body of the response with status {response.status_code} must be {rule}, but {found}; "
            "check that the base URL leads to the service and not to another server or a login page"
        )
        self.status = response.status_code
        self.body = response.text
        self.request_id: str | None = response.headers.get("x-request-id")


def error_class(status: int) -> type[ServiceError]:
    """The class of the errors with a status."""
    if status in (401, 403):
        return AccessDenied
    if status in (404, 410):
        return NotFound
    if status == 409:
        return Conflict
    if status == 429:
        return Throttled
    if status in (502, 503, 504, 507):
        return Unavailable
    if status >= 500:
        return ServerFault
    return InvalidRequest if status >= 400 else ServiceError


def _message(status: int, body: Any) -> str:
    """Errors of the codes service are a line of text; those of the others have a `detail`: text, or a list of violations."""
    text = body.strip() if isinstance(body, str) else _member(body, "detail")
    if text:
        return text
    detail = body.get("detail", body) if isinstance(body, dict) else body
    return _violations(detail) or f"{status} {detail}"


def _violations(detail: Any) -> str | None:
    """For example `body.iscc_code: String should match …`; `None` if it is no list of violations."""
    if not isinstance(detail, list) or not detail or not all(_member(one, "msg") for one in detail):
        return None
    places = [".".join(map(str, one.get("loc") or [])) for one in detail]
    return "; ".join(f"{place}: {one['msg']}" if place else str(one["msg"]) for place, one in zip(places, detail))


def _member(body: Any, name: str) -> str | None:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else None
