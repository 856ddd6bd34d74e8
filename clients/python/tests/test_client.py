from __future__ import annotations

import asyncio
import threading
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any, Dict, List

import parley
from parley import AsyncParley, Parley

from .server import Answer, Fake, failure, stream

UNAVAILABLE = failure(503, "service_unavailable")


class Requests(unittest.TestCase):
    def serve(self, *answers: Answer, **options: Any) -> "tuple[Parley, Fake]":
        fake = Fake(self, *answers)
        return Parley(fake.url, "key", backoff=0.001, **options), fake

    def test_request_has_path_query_credential_and_body(self) -> None:
        client, fake = self.serve(Answer({"items": [], "total": 0}), Answer())
        client.calls.list(status="completed", page=2, livemode=False, metadata={"order": "a&b"})
        client.agents.update("a/b", {"display_name": "B"})
        self.assertEqual(
            fake.requests[0].url, "/api/v1/calls?livemode=false&metadata.order=a%26b&page=2&status=completed"
        )
        self.assertEqual(fake.requests[0].headers["x-api-key"], "key")
        self.assertEqual((fake.requests[1].method, fake.requests[1].url), ("PUT", "/api/v1/agents/a%2Fb"))
        self.assertEqual(fake.requests[1].body, {"display_name": "B"})

    def test_access_token_is_sent_as_bearer(self) -> None:
        fake = Fake(self, Answer())
        Parley(fake.url, access_token="token").auth.me()
        self.assertEqual(fake.requests[0].headers["authorization"], "Bearer token")

    def test_read_is_sent_again_after_a_failure_of_the_server(self) -> None:
        client, fake = self.serve(UNAVAILABLE, failure(500, "internal_error"), Answer())
        client.agents.get("a")
        self.assertEqual(len(fake.requests), 3)

    def test_request_without_a_key_is_not_sent_again(self) -> None:
        client, fake = self.serve(UNAVAILABLE, Answer())
        with self.assertRaises(parley.ServerError):
            client.secrets.create({"name": "a", "value": "b"})
        self.assertEqual(len(fake.requests), 1)

    def test_all_attempts_of_a_call_have_the_same_key(self) -> None:
        client, fake = self.serve(UNAVAILABLE, Answer(), Answer())
        client.calls.start({"workflow_slug": "demo"})
        first, second = (r.headers["idempotency-key"] for r in fake.requests)
        self.assertRegex(first, "^[0-9a-f]{32}$")
        self.assertEqual(first, second)
        client.calls.start({"workflow_slug": "demo"}, idempotency_key="mine")
        self.assertEqual(fake.requests[2].headers["idempotency-key"], "mine")

    def test_refusal_for_the_rate_is_waited_out(self) -> None:
        client, fake = self.serve(failure(429, "rate_limit_exceeded"), Answer())
        client.secrets.create({"name": "a", "value": "b"})
        self.assertEqual(len(fake.requests), 2)

    def test_error_has_what_the_server_says_after_the_last_attempt(self) -> None:
        limited = failure(429, "rate_limit_exceeded", {"Retry-After": "7"})
        client, fake = self.serve(failure(429, "rate_limit_exceeded"), limited, attempts=2)
        with self.assertRaises(parley.RateLimitError) as raised:
            client.agents.get("a")
        e = raised.exception
        self.assertEqual((e.status, e.code, e.request_id, e.retry_after), (429, "rate_limit_exceeded", "r1", 7))
        self.assertEqual(len(fake.requests), 2)

    def test_validation_error_names_the_fields(self) -> None:
        details = [{"field": "config.llm", "message": "is required"}]
        client, _ = self.serve(Answer({"error": {"code": "validation_error", "message": "m", "details": details}}, 422))
        with self.assertRaisesRegex(parley.ValidationError, "config.llm: is required") as raised:
            client.secrets.create({"name": "a", "value": "b"})
        self.assertEqual(raised.exception.details, details)

    def test_answer_of_a_proxy_is_an_error_without_a_code(self) -> None:
        client, _ = self.serve(Answer(lambda request: None, 404))
        with self.assertRaises(parley.NotFoundError) as raised:
            client.agents.get("a")
        self.assertEqual(raised.exception.code, "")

    def test_server_that_does_not_answer_is_a_network_error(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)
        client, fake = self.serve(Answer(lambda request: None if release.wait(60) else None), timeout=0.05, attempts=1)
        with self.assertRaises(parley.NetworkError):
            client.agents.get("a")
        self.assertEqual(len(fake.requests), 1)
        with self.assertRaises(parley.NetworkError):
            Parley("http://127.0.0.1:9", attempts=2, backoff=0.001).agents.get("a")

    def test_list_is_a_page_and_iterated_all_pages(self) -> None:
        def page(offset: int, *names: str) -> Answer:
            return Answer({"items": [{"name": n} for n in names], "total": 3, "limit": 2, "offset": offset})

        client, fake = self.serve(page(0, "a", "b"), page(2, "c"))
        listed = client.agents.list(limit=2)
        self.assertEqual((len(listed.items), listed.total), (2, 3))
        self.assertEqual([a["name"] for a in listed], ["a", "b", "c"])
        self.assertEqual(fake.requests[1].url, "/api/v1/agents?limit=2&offset=2")

    def test_list_of_calls_is_paged_by_number(self) -> None:
        def page(number: int, id: str) -> Answer:
            return Answer({"items": [{"id": id}], "total": 2, "page": number, "page_size": 1, "pages": 2})

        client, fake = self.serve(page(1, "a"), page(2, "b"))
        self.assertEqual([c["id"] for c in client.calls.list(page_size=1)], ["a", "b"])
        self.assertEqual(fake.requests[1].url, "/api/v1/calls?page=2&page_size=1")


BROKEN_OFF = stream(("1", "connected", {}), ("2", "heartbeat", {}), ("3", "transcript", {"content": "Grüße"}))
REST = stream(("4", "transcript", {"content": "b"}), ("5", "ended", {"final_status": "completed"}))
NO_CALL = stream(("1", "error", {"message": "there is no such call"}))


class Streams(unittest.TestCase):
    def serve(self, *answers: Answer, **options: Any) -> "tuple[Parley, Fake]":
        fake = Fake(self, *answers)
        return Parley(fake.url, "key", backoff=0.001, **options), fake

    def test_stream_that_breaks_off_is_continued_after_the_last_message(self) -> None:
        client, fake = self.serve(BROKEN_OFF, UNAVAILABLE, REST)
        messages = list(client.calls.stream("c"))
        self.assertEqual([m["id"] for m in messages], ["1", "3", "4", "5"])
        self.assertEqual(messages[1], {"id": "3", "event": "transcript", "data": {"content": "Grüße"}})
        self.assertEqual([r.headers.get("last-event-id") for r in fake.requests], [None, "3", "3"])
        self.assertEqual(fake.requests[0].url, "/api/v1/sse/calls/c/stream")

    def test_stream_can_begin_after_a_message(self) -> None:
        client, fake = self.serve(REST)
        list(client.calls.stream("c", last_event_id="7"))
        self.assertEqual(fake.requests[0].headers["last-event-id"], "7")

    def test_stream_that_is_silent_is_continued(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)

        def silent(request: BaseHTTPRequestHandler) -> None:
            request.wfile.write(b"id: 1\nevent: connected\ndata: {}\n\nid: 2\nevent: transcript\n")
            release.wait(60)

        client, fake = self.serve(Answer(silent), REST, timeout=0.2)
        self.assertEqual([m["id"] for m in client.calls.stream("c")], ["1", "4", "5"])
        self.assertEqual(fake.requests[1].headers["last-event-id"], "1")

    def test_stream_that_never_comes_up_ends_after_the_attempts(self) -> None:
        client, fake = self.serve(stream(), stream(), stream(), attempts=3)
        with self.assertRaises(parley.NetworkError):
            list(client.calls.stream("c"))
        self.assertEqual(len(fake.requests), 3)

    def test_error_message_and_refusal_end_a_stream(self) -> None:
        client, _ = self.serve(NO_CALL, failure(403, "scope_required"))
        with self.assertRaisesRegex(parley.StreamError, "there is no such call"):
            list(client.calls.stream("c"))
        with self.assertRaises(parley.ForbiddenError):
            list(client.calls.stream("c"))


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    def serve(self, *answers: Answer, **options: Any) -> "tuple[AsyncParley, Fake]":
        fake = Fake(self, *answers)
        return AsyncParley(fake.url, "key", backoff=0.001, **options), fake

    async def test_requests_are_sent_at_the_same_time(self) -> None:
        together = threading.Barrier(3)

        def meet(request: BaseHTTPRequestHandler) -> None:
            together.wait(60)
            request.wfile.write(b"{}")

        client, _ = self.serve(Answer(meet), Answer(meet), Answer(meet))
        await asyncio.gather(*(client.agents.get(name) for name in "abc"))

    async def test_retries_and_errors(self) -> None:
        client, fake = self.serve(UNAVAILABLE, Answer(), failure(404, "not_found"))
        await client.calls.start({"workflow_slug": "demo"})
        first, second = (r.headers["idempotency-key"] for r in fake.requests)
        self.assertEqual(first, second)
        with self.assertRaises(parley.NotFoundError):
            await client.agents.delete("a")

    async def test_list_is_a_page_when_awaited_and_iterated_all_pages(self) -> None:
        def page(offset: int, *names: str) -> Answer:
            return Answer({"items": [{"name": n} for n in names], "total": 3, "limit": 2, "offset": offset})

        client, fake = self.serve(page(0, "a", "b"), page(0, "a", "b"), page(2, "c"))
        self.assertEqual(len((await client.agents.list(limit=2)).items), 2)
        self.assertEqual([a["name"] async for a in client.agents.list(limit=2)], ["a", "b", "c"])

    async def test_stream_that_breaks_off_is_continued_after_the_last_message(self) -> None:
        client, fake = self.serve(BROKEN_OFF, UNAVAILABLE, REST)
        messages: List[Dict[str, Any]] = [dict(m) async for m in client.calls.stream("c")]
        self.assertEqual([m["id"] for m in messages], ["1", "3", "4", "5"])
        self.assertEqual([r.headers.get("last-event-id") for r in fake.requests], [None, "3", "3"])

    async def test_error_message_and_refusal_end_a_stream(self) -> None:
        client, _ = self.serve(NO_CALL, failure(403, "scope_required"))
        with self.assertRaisesRegex(parley.StreamError, "there is no such call"):
            async for _message in client.calls.stream("c"):
                pass
        with self.assertRaises(parley.ForbiddenError):
            async for _message in client.calls.stream("c"):
                pass
