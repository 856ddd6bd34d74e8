"""A client of Parley's API and its webhooks, without dependencies.

parley = Parley("http://127.0.0.1:8080", api_key="svc_live_…")
call = parley.calls.start({"workflow_slug": "demo"})

What the API answers is a dict, typed in parley.types. Errors are subclasses of ParleyError.
"""

from . import types
from ._client import AsyncParley, Parley
from ._errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ErrorDetail,
    ForbiddenError,
    NetworkError,
    NotFoundError,
    ParleyError,
    RateLimitError,
    ServerError,
    StreamError,
    ValidationError,
)
from ._pages import AsyncPages, Page
from ._resources import ErrorCode
from ._signature import (
    SIGNATURE_HEADER,
    SIGNATURE_TOLERANCE,
    TOOL_SIGNATURE_HEADER,
    SignatureError,
    WebhookEvent,
    verify_tool_request,
    verify_webhook,
)

__all__ = [
    "ApiError",
    "AsyncPages",
    "AsyncParley",
    "AuthenticationError",
    "ConflictError",
    "ErrorCode",
    "ErrorDetail",
    "ForbiddenError",
    "NetworkError",
    "NotFoundError",
    "Page",
    "Parley",
    "ParleyError",
    "RateLimitError",
    "SIGNATURE_HEADER",
    "SIGNATURE_TOLERANCE",
    "ServerError",
    "SignatureError",
    "StreamError",
    "TOOL_SIGNATURE_HEADER",
    "ValidationError",
    "WebhookEvent",
    "types",
    "verify_tool_request",
    "verify_webhook",
]
