"""The whole client."""

from __future__ import annotations

from types import TracebackType

import httpx

from ..arguments import Seconds, seconds
from ..retry import RetryPolicy
from ..settings import Settings
from .activities import AsyncActivities
from .activity_reading import AsyncActivityReading
from .broadcasts import AsyncBroadcasts
from .events import AsyncEvents
from .schedules import AsyncSchedules
from .segments import AsyncSegments
from .topics import AsyncTopics
from .transport import AsyncTransport
from .users import AsyncUsers


class AsyncFanfare(
    AsyncActivities,
    AsyncActivityReading,
    AsyncBroadcasts,
    AsyncSchedules,
    AsyncSegments,
    AsyncTopics,
    AsyncEvents,
    AsyncUsers,
):
    """A gateway, for asyncio. One instance is for one event loop, and for any number of tasks at a time.

    Methods raise subclasses of FanfareError, and retry temporary failures; see `RetryPolicy`.
    """

    def __init__(
        self,
        url: str | httpx.URL,
        api_key: str,
        *,
        policy: RetryPolicy | None = None,
        upload_timeout: Seconds = 3600.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Creates a client. Sends nothing.

        - url: the gateway's URL, for example `https://fanfare.example.com`.
        - api_key: the customer's key. A line end after it is removed.
        - upload_timeout: the maximum seconds of an upload of users, including retries.
        - http: a client with your own proxies, certificates and limits. You close it.

        Raises ValueError for an invalid URL or key, and TypeError for other types.
        """
        self._transport = AsyncTransport(Settings(str(url) if isinstance(url, httpx.URL) else url, api_key, policy or RetryPolicy()), http)
        self._upload_timeout = seconds(upload_timeout, "upload_timeout")

    async def close(self) -> None:
        """Closes the connections. A closed client sends nothing."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncFanfare:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
