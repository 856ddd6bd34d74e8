from __future__ import annotations

import hashlib
import hmac
import json
import unittest
from typing import Optional

from parley import SignatureError, WebhookEvent, verify_tool_request, verify_webhook

SECRET = "whsec_secret"
EVENT = {"id": "evt_1", "type": "call.completed", "created": 1, "data": {"call_id": "c", "name": "Zoë"}}
BODY = json.dumps(EVENT)
NOW = 1_800_000_000


def sign(text: str, key: str = SECRET) -> str:
    return hmac.new(key.encode(), f"{NOW}.{text}".encode(), hashlib.sha256).hexdigest()


def verify(header: Optional[str], text: str = BODY, now: int = NOW) -> WebhookEvent:
    return verify_webhook(text, header, SECRET, now=now)


class Signatures(unittest.TestCase):
    def refused(self, reason: str, header: Optional[str], text: str = BODY, now: int = NOW) -> None:
        with self.assertRaises(SignatureError) as raised:
            verify(header, text, now)
        self.assertEqual(raised.exception.reason, reason, header)

    def test_signed_body_is_its_event_also_as_bytes_and_in_an_envelope(self) -> None:
        self.assertEqual(verify(f"t={NOW},v1={sign(BODY)}"), EVENT)
        self.assertEqual(verify_webhook(BODY.encode(), f"t={NOW},v1={sign(BODY)}", SECRET, now=NOW), EVENT)
        wrapped = json.dumps({"event": EVENT, "delivery_id": "dlv_1", "attempt": 1, "max_attempts": 5})
        self.assertEqual(verify(f"t={NOW},v1={sign(wrapped)}", wrapped), EVENT)

    def test_one_of_several_signatures_is_enough(self) -> None:
        verify(f"t={NOW},v1={sign(BODY, 'old')},v1={sign(BODY)},v0=x")

    def test_what_is_not_signed_is_refused(self) -> None:
        self.refused("missing", None)
        self.refused("wrong", f"t={NOW},v1={sign(BODY, 'old')}")
        self.refused("wrong", f"t={NOW},v1={sign(BODY)}", BODY + " ")
        self.refused("wrong", f"t={NOW + 1},v1={sign(BODY)}")
        for header in ["x", f"t={NOW}", f"v1={sign(BODY)}", f"t={NOW},v1=xy", f"t={NOW},t={NOW},v1=00", "t=z,v1=00"]:
            self.refused("format", header)

    def test_time_that_is_too_far_from_now_is_refused(self) -> None:
        header = f"t={NOW},v1={sign(BODY)}"
        verify(header, now=NOW + 300)
        verify(header, now=NOW - 300)
        self.refused("expired", header, now=NOW + 301)
        self.refused("expired", header, now=NOW - 301)

    def test_request_of_a_tool_is_signed_with_its_method_and_url(self) -> None:
        url = "https://api.example.com/orders/7?full=1"
        header = f"t={NOW},v1={sign(f'POST {url}' + chr(10) + BODY)}"
        verify_tool_request("POST", url, BODY, header, SECRET, now=NOW)
        with self.assertRaises(SignatureError):
            verify_tool_request("GET", url, BODY, header, SECRET, now=NOW)
