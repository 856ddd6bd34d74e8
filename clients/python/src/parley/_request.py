"""Requests to the API, and when they are sent again."""

from __future__ import annotations

import json
import random
import secrets
import urllib.parse
import urllib.request
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Mapping, Optional

from ._errors import ApiError, NetworkError, ParleyError

LONGEST_WAIT = 30.0
"""Limits the wait between two attempts, including Retry-After, in seconds."""

_IDEMPOTENCY_KEY = "Idempotency-Key"


@dataclass(frozen=True)
class Request:
    """A request to the API.

    file, of a content_type, is in place of a body. repeatable is whether it may be sent again when its outcome is unknown.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    file: Optional[bytes] = None
    content_type: str = "application/json"
    headers: Mapping[str, Optional[str]] = field(default_factory=dict)
    repeatable: bool = False

    def with_key(self) -> Request:
        """Makes the key of a request that can have one, so that all its attempts have the same."""
        if _IDEMPOTENCY_KEY not in self.headers:
            return self
        key = self.headers[_IDEMPOTENCY_KEY] or secrets.token_hex(16)
        return replace(self, headers={**self.headers, _IDEMPOTENCY_KEY: key}, repeatable=True)

    def resumed(self, last_id: str) -> Request:
        """The request of a stream that continues after a message."""
        return replace(self, headers={**self.headers, "Last-Event-ID": last_id}) if last_id else self

    def after(self, query: Mapping[str, int]) -> Request:
        """The request of another page."""
        return replace(self, query={**self.query, **query})

    def worth_retrying(self, error: ParleyError) -> bool:
        """Reports whether another attempt is safe and may succeed.

        A 429 and a failed connection have changed nothing. A budget that is spent stays so for long.
        """
        if isinstance(error, ApiError):
            return (error.status == 429 and error.code != "budget_exhausted") or (error.status >= 500 and self.repeatable)
        refused = isinstance(error.__cause__, ConnectionRefusedError)
        return isinstance(error, NetworkError) and (self.repeatable or refused)


@dataclass(frozen=True)
class Options:
    """How a client reaches the server. Times are in seconds."""

    base_url: str
    headers: Mapping[str, str]
    attempts: int
    backoff: float
    timeout: float

    def prepare(self, request: Request) -> urllib.request.Request:
        """The request as urllib sends it."""
        headers: Dict[str, str] = {"Accept": "application/json", "User-Agent": "parley-python", **self.headers}
        headers.update({name: value for name, value in request.headers.items() if value is not None})
        body = request.file
        if request.body is not None:
            body = json.dumps(request.body).encode()
        if body is not None:
            headers["Content-Type"] = request.content_type
        url = self.base_url.rstrip("/") + request.path + _encode(request.query)
        return urllib.request.Request(url, body, headers, method=request.method)

    def wait(self, attempt: int, request: Request, error: ParleyError) -> float:
        """The wait before the next attempt. Raises the error if there is to be none."""
        if attempt >= self.attempts or not request.worth_retrying(error):
            raise error
        wait = self.backoff * float(1 << (attempt - 1)) * random.uniform(0.5, 1)
        asked = error.retry_after if isinstance(error, ApiError) else 0.0
        return min(max(wait, asked), LONGEST_WAIT)


def segment(name: str) -> str:
    """Escapes a name as a segment of a path."""
    return urllib.parse.quote(name, safe="")


def _encode(query: Mapping[str, Any]) -> str:
    encoded: Dict[str, str] = {}
    for name, value in query.items():
        if isinstance(value, Mapping):
            encoded.update({f"{name}.{key}": str(part) for key, part in value.items()})
        elif isinstance(value, bool):
            encoded[name] = "true" if value else "false"
        elif value is not None:
            encoded[name] = str(value)
    return "?" + urllib.parse.urlencode(encoded) if encoded else ""
