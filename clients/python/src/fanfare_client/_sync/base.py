"""The base class of route groups."""

from __future__ import annotations

from typing import TypeVar

from ..arguments import Seconds, seconds
from ..request import Call
from ..users_body import UserIds
from .transport import Transport

T = TypeVar("T")


class Routes:
    """A group of routes. Its methods raise ApiError if the gateway refuses, and ConnectionFailed without an answer."""

    _transport: Transport
    _upload_timeout: float

    def _call(self, call: Call[T], deadline: float | None = None) -> T:
        return self._transport.call(call, deadline)

    def _upload(self, call: Call[T], insider_ids: UserIds, timeout: Seconds | None) -> T:
        limit = self._upload_timeout if timeout is None else seconds(timeout, "timeout")
        return self._transport.upload(call, insider_ids, limit)
