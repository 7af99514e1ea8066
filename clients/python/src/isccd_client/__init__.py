"""Clients of the isccd services. Each exists in two forms: `CodesClient` and `AsyncCodesClient`, and so on."""

from ._async.codes import AsyncCodesClient
from ._async.resolver import AsyncResolverClient
from ._async.search import AsyncSearchClient
from ._async.store import AsyncStoreClient
from ._lines import AddReport, RefusedLine
from ._matches import Checked, Match
from ._retry import Retry
from ._sync.codes import CodesClient
from ._sync.resolver import ResolverClient
from ._sync.search import SearchClient
from ._sync.store import StoreClient
from ._upload import Progress, Source
from .errors import (
    AccessDenied,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    InvalidResponse,
    IsccdError,
    JobFailed,
    NotFound,
    ServerFault,
    ServiceError,
    Throttled,
    Unavailable,
)

__all__ = [
    "AccessDenied",
    "AddReport",
    "AsyncCodesClient",
    "AsyncResolverClient",
    "AsyncSearchClient",
    "AsyncStoreClient",
    "Checked",
    "CodesClient",
    "Conflict",
    "ConnectionFailed",
    "InvalidRequest",
    "InvalidResponse",
    "IsccdError",
    "JobFailed",
    "Match",
    "NotFound",
    "Progress",
    "RefusedLine",
    "ResolverClient",
    "Retry",
    "SearchClient",
    "ServerFault",
    "ServiceError",
    "Source",
    "StoreClient",
    "Throttled",
    "Unavailable",
]
