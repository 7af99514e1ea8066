"""Decides whether a failed request is sent again, and after which pause."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import anyio

from .errors import ConnectionFailed, ServiceError, Throttled

#: Temporary failures of a service or of its proxy.
_TEMPORARY = frozenset((502, 503, 504))


@dataclass(frozen=True)
class Retry:
    """How often and when a request is repeated that can be repeated safely."""

    #: Maximum number of attempts; 1 disables retries.
    attempts: int = 4
    #: Average length of the first pause in seconds; each further pause is twice as long.
    first_pause: float = 0.5
    #: Longest pause in seconds. If `Retry-After` is longer, the request is not repeated.
    max_pause: float = 30.0

    def pause(self, error: ServiceError | ConnectionFailed, attempt: int, repeatable: bool) -> float | None:
        """Seconds until the next attempt after the attempt with this number, from 1; `None` for no other attempt."""
        if attempt >= self.attempts:
            return None
        if isinstance(error, ConnectionFailed):
            return self._backoff(attempt) if repeatable or not error.may_be_received else None
        after = error.retry_after
        if not repeatable or (after is not None and after > self.max_pause):
            return None
        if isinstance(error, Throttled):
            return after
        return max(self._backoff(attempt), after or 0.0) if error.status in _TEMPORARY else None

    def _backoff(self, attempt: int) -> float:
        """Exponential back-off with 50 % jitter, so that clients do not retry in step."""
        return min(self.max_pause, self.first_pause * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.5)


def retry_after(header: str | None) -> float | None:
    """`Retry-After` in seconds: a number of them, or a date."""
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def async_sleep(seconds: float) -> Awaitable[None]:
    return anyio.sleep(seconds)
