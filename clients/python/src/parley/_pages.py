"""Lists, page by page."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generator, Generic, Iterator, List, Mapping
from typing import Optional, TypeVar

Item = TypeVar("Item")


class Page(Generic[Item]):
    """A page of a list. Iterated, it is all items from there on, with a request for each further page."""

    def __init__(
        self, answer: Mapping[str, Any], load: Optional[Callable[[Mapping[str, int]], Mapping[str, Any]]]
    ) -> None:
        self.items: List[Item] = answer["items"]
        """The items of this page."""
        self.total: int = answer["total"]
        """The number of items in all."""
        self._answer = answer
        self._load = load

    def __iter__(self) -> Iterator[Item]:
        answer = self._answer
        while True:
            yield from answer["items"]
            query = _next(answer)
            if query is None or self._load is None:
                return
            answer = self._load(query)


class AsyncPages(Generic[Item]):
    """A list. Awaited, it is the page that was asked for; iterated, it is all items from there on."""

    def __init__(self, load: Callable[[Mapping[str, int]], Awaitable[Mapping[str, Any]]]) -> None:
        self._load = load

    def __await__(self) -> Generator[Any, None, Page[Item]]:
        return self._first().__await__()

    async def _first(self) -> Page[Item]:
        return Page(await self._load({}), None)

    async def __aiter__(self) -> AsyncIterator[Item]:
        query: Optional[Dict[str, int]] = {}
        while query is not None:
            answer = await self._load(query)
            for item in answer["items"]:
                yield item
            query = _next(answer)


def _next(answer: Mapping[str, Any]) -> Optional[Dict[str, int]]:
    """The query of the page after another; None after the last. Lists are paged by offset or by page."""
    if not answer["items"]:
        return None
    if "page" in answer:
        return {"page": answer["page"] + 1} if answer["page"] * answer["page_size"] < answer["total"] else None
    offset: int = answer.get("offset", 0) + len(answer["items"])
    return {"offset": offset} if offset < answer["total"] else None
