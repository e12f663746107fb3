"""The whole client."""

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

    Methods raise subclasses of FanfareError, and retry temporary failures; see `RetryPolicy`.
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
        """Creates a client. Sends nothing.

        - url: the gateway's URL, for example `https://fanfare.example.com`.
        - api_key: the customer's key. A line end after it is removed.
        - upload_timeout: the maximum seconds of an upload of users, including retries.
        - http: a client with your own proxies, certificates and limits. You close it.

        Raises ValueError for an invalid URL or key, and TypeError for other types.
        """
        self._transport = Transport(Settings(str(url) if isinstance(url, httpx.URL) else url, api_key, policy or RetryPolicy()), http)
        self._upload_timeout = seconds(upload_timeout, "upload_timeout")

    def close(self) -> None:
        """Closes the connections. A closed client sends nothing."""
        self._transport.close()

    def __enter__(self) -> Fanfare:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
