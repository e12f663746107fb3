"""The client as a whole."""

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

    Whatever a method raises of its own accord is a FanfareError. Methods retry by themselves; see `RetryPolicy`.
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
        """Nothing is sent yet.

        - url: where the gateway is, such as `https://fanfare.example.com`.
        - api_key: the customer's key. The end of a line behind it, as a file has it, is no part of it.
        - upload_timeout: seconds that an upload of users may take, its repetitions included.
        - http: for proxies, certificates and limits of one's own. It stays the caller's to close.

        Raises ValueError for a URL or key that cannot be one, TypeError for what is no text.
        """
        self._transport = AsyncTransport(Settings(str(url) if isinstance(url, httpx.URL) else url, api_key, policy or RetryPolicy()), http)
        self._upload_timeout = seconds(upload_timeout, "upload_timeout")

    async def close(self) -> None:
        """Closes the connections. A client that is closed sends nothing more."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncFanfare:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
