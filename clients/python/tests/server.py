"""A server whose answers are given one after the other."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union
from unittest import TestCase

Write = Callable[[BaseHTTPRequestHandler], None]


class Answer(NamedTuple):
    body: Union[Dict[str, Any], Write] = {}
    status: int = 200
    headers: Dict[str, str] = {}


class Received(NamedTuple):
    method: str
    url: str
    headers: Dict[str, str]
    body: Any


class Fake:
    def __init__(self, test: TestCase, *answers: Answer) -> None:
        self.requests: List[Received] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                fake.requests.append(Received(self.command, self.path, headers, json.loads(content or "null")))
                given = answers[len(fake.requests) - 1] if len(fake.requests) <= len(answers) else Answer(status=418)
                self.send_response(given.status)
                for name, value in given.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if callable(given.body):
                    given.body(self)
                else:
                    self.wfile.write(json.dumps(given.body).encode())

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"


def failure(status: int, code: str, headers: Optional[Dict[str, str]] = None) -> Answer:
    return Answer({"error": {"code": code, "message": "why"}}, status, {"X-Request-Id": "r1", **(headers or {})})


def stream(*messages: Any) -> Answer:
    """A stream of messages, each (id, event, data), that then breaks off."""

    def write(request: BaseHTTPRequestHandler) -> None:
        for id, event, data in messages:
            request.wfile.write(f"id: {id}\nevent: {event}\ndata: {json.dumps(data)}\n\n".encode())

    return Answer(write)
