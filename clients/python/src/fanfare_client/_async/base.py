"""The base class of route groups."""

from __future__ import annotations

from typing import TypeVar

from ..arguments import Seconds, seconds
from ..request import Call
from ..users_body import AsyncUserIds
from .transport import AsyncTransport

T = TypeVar("T")


class AsyncRoutes:
    """A group of routes. Its methods raise ApiError if the gateway refuses, and ConnectionFailed without an answer."""

    _transport: AsyncTransport
    _upload_timeout: float

    async def _call(self, call: Call[T], deadline: float | None = None) -> T:
        return await self._transport.call(call, deadline)

    async def _upload(self, call: Call[T], insider_ids: AsyncUserIds, timeout: Seconds | None) -> T:
        limit = self._upload_timeout if timeout is None else seconds(timeout, "timeout")
        return await self._transport.upload(call, insider_ids, limit)
