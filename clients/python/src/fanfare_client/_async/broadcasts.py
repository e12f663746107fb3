"""Broadcasts: their counts, followed until the end."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncGenerator, Callable

import httpx

from ..arguments import Seconds, Text, seconds, text
from ..errors import ConnectionFailed, RateLimited, Unavailable, UnexpectedReply
from ..following import SILENCE, Following
from ..replies.broadcasts import Broadcast, BroadcastReply
from ..request import ACTIVITIES, get, segment_of_path
from ..settings import answer_of, is_readable, may_pass
from ..sse import EventParser
from .base import AsyncRoutes


class AsyncBroadcasts(AsyncRoutes):
    """The routes under `/api/v1/live-activity/broadcasts`."""

    async def get_broadcast(self, broadcast_id: Text) -> Broadcast:
        """Returns a broadcast with its counts."""
        return await self._call(get(Broadcast, f"{ACTIVITIES}/broadcasts/{segment_of_path(broadcast_id)}"))

    async def wait(
        self,
        broadcast: BroadcastReply | Broadcast | Text,
        *,
        on_progress: Callable[[Broadcast], None] | None = None,
        timeout: Seconds = 600.0,
    ) -> Broadcast:
        """Waits until a broadcast has ended, and returns its final counts.

        - broadcast: its id, or a reply with its id.
        - on_progress: called with each new state, including the last, at most ten times a second.
        - timeout: the seconds after which the call raises WaitTimeout. The broadcast continues in the gateway.

        If the gateway becomes unavailable, the call retries until the timeout. Raises NotFound for an unknown
        broadcast, and ValueError for a reply without one.
        """
        broadcast_id = broadcast.broadcast_id if isinstance(broadcast, (BroadcastReply, Broadcast)) else broadcast
        if broadcast_id is None:
            raise ValueError("the reply names no broadcast: there was nothing to send")
        last: Broadcast | None = None
        async for last in self.stream_broadcast(broadcast_id, timeout=timeout):
            if on_progress is not None:
                on_progress(last)
        if last is None:
            raise UnexpectedReply("a broadcast was followed and nothing heard of it")
        return last

    async def stream_broadcast(self, broadcast_id: Text, *, timeout: Seconds = 600.0) -> AsyncGenerator[Broadcast, None]:
        """Iterates over a broadcast's states as they change, up to the final one.

        The generator holds a connection. To leave it early, close it (`contextlib.aclosing`). Raises WaitTimeout
        after `timeout` seconds.
        """
        path = f"{ACTIVITIES}/broadcasts/{segment_of_path(broadcast_id)}"
        following = Following(
            text(broadcast_id, "broadcast"),
            self._transport.settings.policy,
            now=time.monotonic(),
            timeout=seconds(timeout, "timeout"),
        )
        while True:
            if following.wants_stream(time.monotonic()):
                try:
                    async with contextlib.aclosing(self._stream(path, following)) as stream:
                        async for heard in stream:
                            yield heard
                            if heard.is_final:
                                return
                except httpx.RequestError as error:
                    if not may_pass(error):
                        raise UnexpectedReply(f"the stream cannot be read: {error}") from error
                pause = following.pause_after_loss(time.monotonic(), random.random())
            else:
                pause = following.pause_between_questions(time.monotonic())
            try:
                asked = following.learned(await self._call(get(Broadcast, path), following.left(time.monotonic())))
            except (ConnectionFailed, Unavailable, RateLimited):
                pause = following.pause_after_loss(time.monotonic(), random.random())
            else:
                yield asked
                if asked.is_final:
                    return
            await asyncio.sleep(pause)

    async def _stream(self, path: str, following: Following) -> AsyncGenerator[Broadcast, None]:
        """Iterates over the states of one stream until it ends or the time is up. Yields nothing if it is refused."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if following.last_event_id:
            headers["Last-Event-ID"] = following.last_event_id
        parser = EventParser()
        request = get(Broadcast, f"{path}/events").request
        async with self._transport.stream(request, SILENCE, headers) as response:
            media = response.headers.get("content-type", "").partition(";")[0].strip()
            if media != "text/event-stream" or not is_readable(response):
                following.stay_away = answer_of(response, b"").refusal().retry_after
                return
            meta = answer_of(response, b"").meta()
            async for piece in response.aiter_bytes():
                events = parser.feed(piece)
                following.stay_away = parser.retry
                for event in events:
                    heard = following.heard(event, meta)
                    if heard is not None:
                        yield heard
                if not following.wants_stream(time.monotonic()):
                    return
