"""The client as a whole."""

from __future__ import annotations

from types import TracebackType

import httpx

from ..arguments import Seconds, seconds
from ..retry import RetryPolicy
from ..settings import Settings
from .activities import Activities
from .activity_reading import ActivityReading
from .broadcasts import Broadcasts
from .events import Events
from .schedules import Schedules
from .segments import Segments
from .topics import Topics
from .transport import Transport
from .users import Users


class Fanfare(
    Activities,
    ActivityReading,
    Broadcasts,
    Schedules,
    Segments,
    Topics,
    Events,
    Users,
):
    """A gateway, for code without asyncio. One instance is for any number of threads at a time.

    Whatever a method raises of its own accord is a FanfareError. Methods retry by themselves; see `RetryPolicy`.
    """

    def __init__(
        self,
        url: str | httpx.URL,
        api_key: str,
        *,
        policy: RetryPolicy | None = None,
        upload_timeout: Seconds = 3600.0,
        http: httpx.Client | None = None,
    ) -> None:
        """Nothing is sent yet.

        - url: where the gateway is, such as `https://fanfare.example.com`.
        - api_key: the customer's key. The end of a line behind it, as a file has it, is no part of it.
        - upload_timeout: seconds that an upload of users may take, its repetitions included.
        - http: for proxies, certificates and limits of one's own. It stays the caller's to close.

        Raises ValueError for a URL or key that cannot be one, TypeError for what is no text.
        """
        self._transport = Transport(Settings(str(url) if isinstance(url, httpx.URL) else url, api_key, policy or RetryPolicy()), http)
        self._upload_timeout = seconds(upload_timeout, "upload_timeout")

    def close(self) -> None:
        """Closes the connections. A client that is closed sends nothing more."""
        self._transport.close()

    def __enter__(self) -> Fanfare:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
