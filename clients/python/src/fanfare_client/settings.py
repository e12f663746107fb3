"""The settings of a client: the gateway's URL, the key and the retry policy."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from ._version import __version__
from .answer import Answer
from .request import Request
from .retry import RetryPolicy

LONGEST_REPLY = 64 << 20
"""The maximum size of a reply in bytes."""


@dataclass(frozen=True)
class Settings:
    """The gateway's URL, the key and the retry policy. Raises ValueError for invalid values."""

    url: str
    """The part of the URL before `/api`, for example `https://fanfare.example.com`."""
    api_key: str = field(repr=False)
    """The customer's key. It appears in no message and no repr."""
    policy: RetryPolicy = RetryPolicy()
    """The retry policy of calls."""

    def __post_init__(self) -> None:
        for name in ("url", "api_key"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} is text, not {type(getattr(self, name)).__name__}")
        if not isinstance(self.policy, RetryPolicy):
            raise TypeError(f"policy is a RetryPolicy, not {type(self.policy).__name__}")
        object.__setattr__(self, "api_key", self.api_key.removesuffix("\n").removesuffix("\r"))
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("url begins with https:// or http:// and names a host")
        if not self.api_key or not all("!" <= c <= "~" for c in self.api_key):
            raise ValueError("api_key has visible ASCII characters")

    def target(self, request: Request) -> str:
        """Returns the whole URL of a request."""
        return self.url.rstrip("/") + request.target

    def headers(self, request: Request, request_id: str) -> dict[str, str]:
        """Returns the headers of a request."""
        headers = {
            "X-Api-Key": self.api_key,
            "X-Request-Id": request_id,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"fanfare-client/{__version__} python/{platform.python_version()}",
        }
        if request.content_type is not None:
            headers["Content-Type"] = request.content_type
        if request.idempotency_key is not None:
            headers["Idempotency-Key"] = request.idempotency_key
        if request.prefers_async:
            headers["Prefer"] = "respond-async"
        return headers

    def timeout(self, seconds: float) -> httpx.Timeout:
        """Returns the timeouts of an attempt. Connecting has its own, shorter timeout."""
        connect = min(self.policy.connect_timeout, seconds)
        return httpx.Timeout(seconds, connect=connect, pool=connect)


def answer_of(response: httpx.Response, body: bytes) -> Answer:
    """Returns the response as an Answer."""
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def is_readable(response: httpx.Response) -> bool:
    """Returns True if the body is plain or has the requested gzip coding.

    Rejects nested codings, because a few thousand bytes of them can unpack to gigabytes.
    """
    coding: str = response.headers.get("content-encoding", "identity")
    return coding.strip().lower() in ("identity", "gzip")


def reason_of(error: httpx.RequestError) -> str:
    """Returns the error as one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def may_pass(error: httpx.RequestError) -> bool:
    """Returns True if another attempt may succeed. An untrusted certificate or an invalid URL is permanent."""
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError)):
        return False
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ == "SSLCertVerificationError":
            return False
        cause = cause.__cause__ or cause.__context__
    return isinstance(error, httpx.TransportError)


def may_have_arrived(error: httpx.RequestError) -> bool:
    """Returns True if the request may have reached the gateway."""
    return not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
