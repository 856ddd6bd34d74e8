"""Signatures of webhooks and of tools' requests."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union

from ._errors import ParleyError

SIGNATURE_HEADER = "X-Webhook-Signature"
"""The header with a webhook's signature."""

TOOL_SIGNATURE_HEADER = "X-Parley-Signature"
"""The header with the signature of a tool's request."""

SIGNATURE_TOLERANCE = 300
"""The maximum difference between a signature's time and the receiver's clock, in seconds."""


class SignatureError(ParleyError):
    """A request is not signed as it has to be. Answer it with 401."""

    def __init__(self, reason: Literal["missing", "format", "wrong", "expired"], message: str) -> None:
        super().__init__(message)
        self.reason = reason


class WebhookEvent(TypedDict):
    """An event of a webhook. It may be delivered more than once: deduplicate by id.

    created is in Unix seconds, livemode is False for calls made with a test key.
    """

    id: str
    type: str
    api_version: str
    created: int
    tenant_id: str
    livemode: bool
    data: Dict[str, Any]


def verify_webhook(
    body: Union[str, bytes], header: Optional[str], secret: str, *, now: Optional[float] = None
) -> WebhookEvent:
    """Checks that body, the raw body of a request, was signed with the webhook's secret, and returns its event.

    The header may have several signatures while a rotated secret is still valid; one must match. now is the receiver's
    clock, in Unix seconds. Raises SignatureError.
    """
    content = _encoded(body)
    _verify(content, header, secret, now)
    event = json.loads(content)
    wrapped: WebhookEvent = event.get("event", event)  # in the payload format envelope
    return wrapped


def verify_tool_request(
    method: str, url: str, body: Union[str, bytes], header: Optional[str], secret: str, *, now: Optional[float] = None
) -> None:
    """Checks the signature of a tool's request, which covers method, URL and body.

    url is the whole URL as the tool names it, with scheme and host, such as https://api.example.com/orders/7?full=1.
    Raises SignatureError.
    """
    _verify(f"{method} {url}\n".encode() + _encoded(body), header, secret, now)


def _encoded(body: Union[str, bytes]) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _verify(signed: bytes, header: Optional[str], secret: str, now: Optional[float]) -> None:
    if not header:
        raise SignatureError("missing", "the signature header is missing")
    if not secret:
        raise ParleyError("the secret is empty")
    stamp, signatures = _parse(header)
    want = hmac.new(secret.encode(), f"{stamp}.".encode() + signed, hashlib.sha256).digest()
    if not any([hmac.compare_digest(want, s) for s in signatures]):  # all, in constant time
        raise SignatureError("wrong", "the signature does not fit the body and the secret")
    age = (time.time() if now is None else now) - int(stamp)
    if abs(age) > SIGNATURE_TOLERANCE:
        raise SignatureError("expired", f"the signature's time is {age:.0f} s from now")


def _parse(header: str) -> Tuple[str, List[bytes]]:
    """Parses the header. Schemes other than v1 are ignored."""
    malformed = SignatureError("format", "the signature header is not t=<unix seconds>,v1=<hex>")
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    try:
        signatures = [bytes.fromhex(value) for name, _, value in parts if name == "v1"]
    except ValueError:
        raise malformed from None
    if len(times) != 1 or not signatures or not (times[0].isascii() and times[0].isdecimal()):
        raise malformed
    return times[0], signatures
