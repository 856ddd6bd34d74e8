"""Server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional

from ._errors import StreamError
from ._request import Request


class Decoder:
    """Puts the lines of a stream together to messages, and remembers where it is."""

    def __init__(self) -> None:
        self.last_id = ""
        self.ended = False
        self._fields: Dict[str, str] = {}

    def resume(self, request: Request) -> Request:
        """The request that continues after the last message. The one that the connection broke off in is forgotten."""
        self._fields = {}
        return request.resumed(self.last_id)

    def line(self, line: bytes) -> Optional[Dict[str, Any]]:
        """Takes a line, and returns the message that it completes. Heartbeats are left out; an error is raised."""
        text = line.decode().rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            self._fields[name] = value.lstrip(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        data = json.loads(fields["data"])
        self.last_id = fields.get("id", self.last_id)
        event = fields.get("event", "")
        if event == "error":
            raise StreamError(data.get("message", "the stream has ended"))
        self.ended = event == "ended"
        return None if event == "heartbeat" else {"id": self.last_id, "event": event, "data": data}
