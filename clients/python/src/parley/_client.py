"""The clients."""

from __future__ import annotations

from typing import Dict, Optional

from ._request import Options
from ._resources import AsyncResources, Resources
from ._transport import AsyncTransport, Transport


def _options(
    base_url: str, api_key: Optional[str], access_token: Optional[str], attempts: int, backoff: float, timeout: float
) -> Options:
    credential: Dict[str, str] = {}
    if access_token:
        credential = {"Authorization": f"Bearer {access_token}"}
    elif api_key:
        credential = {"X-API-Key": api_key}
    return Options(base_url, credential, attempts, backoff, timeout)


class Parley(Resources):
    """A client of one server with one credential. Its fields are the resources of the API.

    base_url is such as https://voice.example.com. access_token is that of a signed-in user, in place of an API key.
    attempts is the maximum number of attempts of a request, and 1 disables retries; backoff the wait before the first
    retry, in seconds, which doubles with each retry; timeout the limit of a silence of the server, in seconds.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        access_token: Optional[str] = None,
        attempts: int = 4,
        backoff: float = 0.25,
        timeout: float = 30.0,
    ) -> None:
        super().__init__(Transport(_options(base_url, api_key, access_token, attempts, backoff, timeout)))


class AsyncParley(AsyncResources):
    """The same as Parley for asyncio. Requests are sent in threads."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        access_token: Optional[str] = None,
        attempts: int = 4,
        backoff: float = 0.25,
        timeout: float = 30.0,
    ) -> None:
        super().__init__(AsyncTransport(_options(base_url, api_key, access_token, attempts, backoff, timeout)))
