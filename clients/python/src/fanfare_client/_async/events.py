"""Events: what happened, as a stream and sent to webhooks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable

from ..arguments import Seconds, Text, seconds, text, texts
from ..paging import next_cursor
from ..replies.events import (
    AttemptList,
    CreatedWebhook,
    DeadLetter,
    DeadLetterPage,
    EventPage,
    EventSettings,
    Resent,
    RotatedSecret,
    Webhook,
    WebhookList,
    WebhookTest,
)
from ..replies.reading import Meta
from ..replies.users import Success
from ..request import delete, get, segment_of_path, send
from .base import AsyncRoutes


class AsyncEvents(AsyncRoutes):
    """Routes under `/api/v1/events` and `/api/v1/webhooks`. Deliveries are verified by `verify_webhook`."""

    async def list_events(
        self, *, after: Text | None = None, limit: int | None = None, types: Iterable[Text] | None = None
    ) -> EventPage:
        """A page of the stream, the oldest event first. It records what happens after it was switched on.

        - after: the `cursor` of an earlier page; without it from the beginning.
        - types: only these.
        """
        wanted = None if types is None else ",".join(texts(types, "types"))
        return await self._call(get(EventPage, "/api/v1/events", after=after, limit=limit, types=wanted))

    async def event_pages(
        self,
        *,
        after: Text | None = None,
        types: Iterable[Text] | None = None,
        page_size: int | None = None,
        pause: Seconds = 1.0,
        timeout: Seconds | None = None,
    ) -> AsyncIterator[EventPage]:
        """Pages of events as they happen, none of them empty, for as long as they are asked for.

        Keep a page's `cursor` when its events are dealt with, and go on after it the next time: nothing is missed, and
        nothing comes twice.

        - pause: seconds between two looks when there is nothing new. Each look counts against the key's rate.
        - timeout: ends after so many seconds without an event; None for never.
        """
        wanted = None if types is None else texts(types, "types")
        place = None if after is None else text(after, "after")
        between = seconds(pause, "pause")
        limit = None if timeout is None else seconds(timeout, "timeout")
        last = time.monotonic()
        while True:
            page = await self.list_events(after=place, limit=page_size, types=wanted)
            place = next_cursor(page.cursor, place) if page.events else page.cursor
            if page.events:
                yield page
                last = time.monotonic()
                continue
            if limit is not None and time.monotonic() - last + between > limit:
                return
            await asyncio.sleep(between)

    async def get_event_settings(self) -> EventSettings:
        """What is recorded."""
        return await self._call(get(EventSettings, "/api/v1/events/settings"))

    async def change_event_settings(self, *, stream: bool | None = None, audit: bool | None = None) -> EventSettings:
        """Says what is recorded: events in the stream, and changes as events. Give one of the two at least."""
        body = {"stream": stream, "audit": audit}
        return await self._call(send(EventSettings, "PUT", "/api/v1/events/settings", body))

    async def create_webhook(
        self, *, url: str, types: Iterable[Text] | None = None, idempotency_key: Text | None = None
    ) -> CreatedWebhook:
        """Has events sent to a URL. The secret in the reply is shown this once.

        - types: only these; without it all.
        """
        body = {"url": url, "types": None if types is None else texts(types, "types")}
        return await self._call(send(CreatedWebhook, "POST", "/api/v1/webhooks", body, keyed=True, key=idempotency_key))

    async def get_webhook(self, webhook_id: Text) -> Webhook:
        """How a webhook fares."""
        return await self._call(get(Webhook, _path(webhook_id)))

    async def update_webhook(
        self,
        webhook_id: Text,
        *,
        url: str | None = None,
        types: Iterable[Text] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Changes what is given, and leaves the rest."""
        body = {"url": url, "types": None if types is None else texts(types, "types"), "enabled": enabled}
        return await self._call(send(Webhook, "PATCH", _path(webhook_id), body))

    async def delete_webhook(self, webhook_id: Text) -> Success:
        """Deletes a webhook, with what waits for it."""
        return await self._call(delete(Success, _path(webhook_id), _deleted))

    async def list_webhooks(self) -> WebhookList:
        """All webhooks."""
        return await self._call(get(WebhookList, "/api/v1/webhooks"))

    async def rotate_webhook_secret(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> RotatedSecret:
        """Gives a webhook a fresh secret. Deliveries are signed with the old one as well for a day."""
        path = f"{_path(webhook_id)}/rotate-secret"
        return await self._call(send(RotatedSecret, "POST", path, None, keyed=True, key=idempotency_key))

    async def test_webhook(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> WebhookTest:
        """Sends a `webhook.test` event."""
        path = f"{_path(webhook_id)}/test"
        return await self._call(send(WebhookTest, "POST", path, None, keyed=True, key=idempotency_key))

    async def list_webhook_attempts(self, webhook_id: Text, *, limit: int | None = None) -> AttemptList:
        """The tries of the last day, the newest first, 200 at most."""
        return await self._call(get(AttemptList, f"{_path(webhook_id)}/attempts", limit=limit))

    async def list_dead_letters(
        self, webhook_id: Text, *, limit: int | None = None, cursor: Text | None = None
    ) -> DeadLetterPage:
        """A page of the events that were given up."""
        path = f"{_path(webhook_id)}/dead-letters"
        return await self._call(get(DeadLetterPage, path, limit=limit, cursor=cursor))

    async def dead_letters(self, webhook_id: Text, *, page_size: int | None = None) -> AsyncIterator[DeadLetter]:
        """All events that were given up, page by page as they are asked for."""
        cursor: str | None = None
        while True:
            page = await self.list_dead_letters(webhook_id, limit=page_size, cursor=cursor)
            for letter in page.dead_letters:
                yield letter
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return

    async def resend_dead_letters(
        self, webhook_id: Text, *, ids: Iterable[Text] | None = None, idempotency_key: Text | None = None
    ) -> Resent:
        """Sends dead letters again: those with these ids, or without any all."""
        body: dict[str, object] = {"all": True} if ids is None else {"ids": texts(ids, "ids")}
        path = f"{_path(webhook_id)}/dead-letters/resend"
        return await self._call(send(Resent, "POST", path, body, keyed=True, key=idempotency_key))


def _path(webhook_id: Text) -> str:
    return f"/api/v1/webhooks/{segment_of_path(webhook_id)}"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
