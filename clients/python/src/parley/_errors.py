"""The errors that clients raise."""

from __future__ import annotations

import json
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Dict, List, Optional, Type, TypedDict


class ErrorDetail(TypedDict):
    """The error of a field, named by its path, such as config.nodes[2].agent_name."""

    field: str
    message: str


class ParleyError(Exception):
    """An error of this package."""


class NetworkError(ParleyError):
    """The server could not be reached, did not answer in time, or closed the connection."""


class StreamError(ParleyError):
    """A stream was ended by the server: there is no such call, or the credential is no longer valid."""


class ApiError(ParleyError):
    """An error that the API answered with.

    code is empty when the answer was not the API's, as a proxy's. request_id is the id under which the server's log
    has the request, retry_after the seconds that the server asks to wait.
    """

    def __init__(
        self, status: int, code: str, message: str, details: List[ErrorDetail], request_id: str, retry_after: float
    ) -> None:
        fields = "".join(f"; {d['field']}: {d['message']}" for d in details)
        request = f" (request {request_id})" if request_id else ""
        super().__init__(f"{status} {code}: {message}{fields}{request}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


class AuthenticationError(ApiError):
    """401: the credential is missing, unknown, expired or revoked."""


class ForbiddenError(ApiError):
    """403: the credential may not do this."""


class NotFoundError(ApiError):
    """404"""


class ConflictError(ApiError):
    """409: the state of what is named does not allow this."""


class ValidationError(ApiError):
    """422: details names the fields."""


class RateLimitError(ApiError):
    """429: retry_after is the wait that the server asks for."""


class ServerError(ApiError):
    """500 and above"""


_CLASSES: Dict[int, Type[ApiError]] = {
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}


def error_of(status: int, reason: str, headers: Message, body: bytes) -> ApiError:
    """Makes the error of an answer whose status is not one of success."""
    code, message, details = "", reason, []
    try:
        error = json.loads(body)["error"]
        code, message, details = error["code"], error["message"], error.get("details", [])
    except (ValueError, KeyError, TypeError):
        pass  # a proxy's answer
    made = _CLASSES.get(status, ServerError if status >= 500 else ApiError)
    request_id = headers.get("X-Request-Id", "")
    return made(status, code, message, details, request_id, _retry_after(headers.get("Retry-After")))


def _retry_after(header: Optional[str]) -> float:
    """Reads Retry-After, in seconds or as a date (RFC 9110, 10.2.3)."""
    if not header:
        return 0
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0
