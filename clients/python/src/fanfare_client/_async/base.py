"""What every group of routes has."""

from __future__ import annotations

from typing import TypeVar

from ..arguments import Seconds, seconds
from ..request import Call
from ..users_body import AsyncUserIds
from .transport import AsyncTransport

T = TypeVar("T")


class AsyncRoutes:
    """A group of routes. All its methods raise FanfareError: ApiError for what the gateway refuses, ConnectionFailed
    when no answer comes."""

    _transport: AsyncTransport
    _upload_timeout: float

    async def _call(self, call: Call[T], deadline: float | None = None) -> T:
        return await self._transport.call(call, deadline)

    async def _upload(self, call: Call[T], insider_ids: AsyncUserIds, timeout: Seconds | None) -> T:
        limit = self._upload_timeout if timeout is None else seconds(timeout, "timeout")
        return await self._transport.upload(call, insider_ids, limit)
