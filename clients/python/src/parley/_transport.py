"""Sending requests, and sending them again, with urllib."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
import urllib.error
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, AsyncIterator, Iterator, Mapping

from ._errors import NetworkError, ParleyError, error_of
from ._pages import AsyncPages, Page
from ._request import Options, Request
from ._stream import Decoder


def _open(options: Options, request: Request) -> http.client.HTTPResponse:
    """Sends a request once. Raises a ParleyError for an answer that is not one of success."""
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(options.prepare(request), timeout=options.timeout)
        return answer
    except urllib.error.HTTPError as e:
        with e:
            raise error_of(e.code, e.reason, e.headers, e.read()) from None
    except urllib.error.URLError as e:
        cause = e.reason if isinstance(e.reason, BaseException) else e
        raise NetworkError(f"{request.method} {request.path}: {e.reason}") from cause
    except (OSError, http.client.HTTPException) as e:
        raise NetworkError(f"{request.method} {request.path}: {e!r}") from e


def _read(options: Options, request: Request) -> bytes:
    """Sends a request once and reads the whole answer."""
    with _open(options, request) as answer:
        try:
            return answer.read()
        except (OSError, http.client.HTTPException) as e:
            raise NetworkError(f"{request.method} {request.path}: {e!r}") from e


def _line(answer: http.client.HTTPResponse) -> bytes:
    """Reads a line of a stream. A stream that closes before it has ended raises a NetworkError."""
    try:
        line = answer.readline()
    except (OSError, http.client.HTTPException) as e:
        raise NetworkError(f"read the stream: {e!r}") from e
    if not line:
        raise NetworkError("the stream broke off")
    return line


class Transport:
    """Sends requests of one thread or of several."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def nothing(self, request: Request) -> None:
        self.content(request)

    def object(self, request: Request) -> Any:
        return json.loads(self.content(request))

    def page(self, request: Request) -> Page[Any]:
        return Page(self.object(request), lambda query: self._answer(request.after(query)))

    def _answer(self, request: Request) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self.object(request)
        return answer

    def content(self, request: Request) -> bytes:
        request = request.with_key()
        attempt = 1
        while True:
            try:
                return _read(self._options, request)
            except ParleyError as e:
                time.sleep(self._options.wait(attempt, request, e))
            attempt += 1

    def stream(self, request: Request) -> Iterator[Any]:
        """Yields messages until the one that says that the call has ended. A stream that breaks off is continued."""
        decoder = Decoder()
        attempt = 1
        while True:
            try:
                with _open(self._options, decoder.resume(request)) as answer:
                    while not decoder.ended:
                        message = decoder.line(_line(answer))
                        attempt = 1
                        if message is not None:
                            yield message
                return
            except ParleyError as e:
                time.sleep(self._options.wait(attempt, request, e))
            attempt += 1


class AsyncTransport:
    """Sends requests in threads, beside the event loop. A request that is cancelled is still completed there."""

    def __init__(self, options: Options) -> None:
        self._options = options

    async def nothing(self, request: Request) -> None:
        await self.content(request)

    async def object(self, request: Request) -> Any:
        return json.loads(await self.content(request))

    def page(self, request: Request) -> AsyncPages[Any]:
        return AsyncPages(lambda query: self.object(request.after(query)))

    async def content(self, request: Request) -> bytes:
        request = request.with_key()
        attempt = 1
        while True:
            try:
                return await asyncio.to_thread(_read, self._options, request)
            except ParleyError as e:
                await asyncio.sleep(self._options.wait(attempt, request, e))
            attempt += 1

    async def stream(self, request: Request) -> AsyncIterator[Any]:
        """Yields messages until the one that says that the call has ended. A stream that breaks off is continued."""
        decoder = Decoder()
        attempt = 1
        while True:
            reader = ThreadPoolExecutor(1, "parley-stream")
            loop = asyncio.get_running_loop()
            opened = reader.submit(_open, self._options, decoder.resume(request))
            try:
                answer = await asyncio.wrap_future(opened)
                while not decoder.ended:
                    message = decoder.line(await loop.run_in_executor(reader, _line, answer))
                    attempt = 1
                    if message is not None:
                        yield message
                return
            except ParleyError as e:
                await asyncio.sleep(self._options.wait(attempt, request, e))
            finally:
                # Behind a line that the thread still waits for: the server sends a heartbeat every one or two seconds.
                reader.submit(_close, opened)
                reader.shutdown(wait=False)
            attempt += 1


def _close(opened: Future[http.client.HTTPResponse]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()
