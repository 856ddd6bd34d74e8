"""The clients."""

from __future__ import annotations

from typing import Dict, Mapping, Optional

from ._request import Options
from ._resources import AsyncResources, Resources
from ._transport import AsyncTransport, Transport


def _headers(api_key: Optional[str], access_token: Optional[str], further: Optional[Mapping[str, str]]) -> Dict[str, str]:
    headers = dict(further or {})
    if access_token:
        headers["Authorization"] = f"Bearer {access_token}"
    elif api_key:
        headers["X-API-Key"] = api_key
    return headers


class Parley(Resources):
    """A client of one server with one credential. Its fields are the resources of the API.

    base_url is such as https://voice.example.com. access_token is that of a signed-in user, in place of an API key.
    headers are sent with all requests, such as X-Requested-By for sessions in cookies.
    attempts is the maximum number of attempts of a request, and 1 disables retries; backoff the wait before the first
    retry, in seconds, which doubles with each retry; timeout the limit of a silence of the server, in seconds.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        access_token: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        attempts: int = 4,
        backoff: float = 0.25,
        timeout: float = 30.0,
    ) -> None:
        super().__init__(Transport(Options(base_url, _headers(api_key, access_token, headers), attempts, backoff, timeout)))


class AsyncParley(AsyncResources):
    """The same as Parley for asyncio. Requests are sent in threads."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        access_token: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        attempts: int = 4,
        backoff: float = 0.25,
        timeout: float = 30.0,
    ) -> None:
        super().__init__(AsyncTransport(Options(base_url, _headers(api_key, access_token, headers), attempts, backoff, timeout)))
