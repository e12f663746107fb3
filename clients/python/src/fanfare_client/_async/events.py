"""Events: the event stream and webhooks."""

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
    """The routes under `/api/v1/events` and `/api/v1/webhooks`. Verify deliveries with `verify_webhook`."""

    async def list_events(
        self, *, after: Text | None = None, limit: int | None = None, types: Iterable[Text] | None = None
    ) -> EventPage:
        """Returns a page of the stream, oldest event first. The stream records events only while it is enabled.

        - after: the `cursor` of an earlier page. Without it, the page begins with the oldest event.
        - types: the event types to return. Default: all.
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
        """Iterates over non-empty pages of events as they happen.

        Store a page's `cursor` after you have handled its events, and pass it as `after` to continue. You then miss no
        event and get none twice.

        - pause: the seconds between two polls without new events. Each poll counts against the key's rate.
        - timeout: the seconds without an event after which the iteration ends; None for never.
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
        """Returns the settings of the event stream."""
        return await self._call(get(EventSettings, "/api/v1/events/settings"))

    async def change_event_settings(self, *, stream: bool | None = None, audit: bool | None = None) -> EventSettings:
        """Changes the settings of the event stream. Pass at least one of `stream` and `audit`."""
        body = {"stream": stream, "audit": audit}
        return await self._call(send(EventSettings, "PUT", "/api/v1/events/settings", body))

    async def create_webhook(
        self, *, url: str, types: Iterable[Text] | None = None, idempotency_key: Text | None = None
    ) -> CreatedWebhook:
        """Creates a webhook that receives events at a URL. The reply shows the secret only once.

        - types: the event types to send. Default: all.
        """
        body = {"url": url, "types": None if types is None else texts(types, "types")}
        return await self._call(send(CreatedWebhook, "POST", "/api/v1/webhooks", body, keyed=True, key=idempotency_key))

    async def get_webhook(self, webhook_id: Text) -> Webhook:
        """Returns a webhook with its counts."""
        return await self._call(get(Webhook, _path(webhook_id)))

    async def update_webhook(
        self,
        webhook_id: Text,
        *,
        url: str | None = None,
        types: Iterable[Text] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Changes the passed settings of a webhook."""
        body = {"url": url, "types": None if types is None else texts(types, "types"), "enabled": enabled}
        return await self._call(send(Webhook, "PATCH", _path(webhook_id), body))

    async def delete_webhook(self, webhook_id: Text) -> Success:
        """Deletes a webhook with its pending events and dead letters."""
        return await self._call(delete(Success, _path(webhook_id), _deleted))

    async def list_webhooks(self) -> WebhookList:
        """Returns all webhooks."""
        return await self._call(get(WebhookList, "/api/v1/webhooks"))

    async def rotate_webhook_secret(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> RotatedSecret:
        """Creates a new secret for a webhook. The old one signs deliveries as well for a day."""
        path = f"{_path(webhook_id)}/rotate-secret"
        return await self._call(send(RotatedSecret, "POST", path, None, keyed=True, key=idempotency_key))

    async def test_webhook(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> WebhookTest:
        """Sends a `webhook.test` event."""
        path = f"{_path(webhook_id)}/test"
        return await self._call(send(WebhookTest, "POST", path, None, keyed=True, key=idempotency_key))

    async def list_webhook_attempts(self, webhook_id: Text, *, limit: int | None = None) -> AttemptList:
        """Returns at most 200 attempts of the last day, newest first."""
        return await self._call(get(AttemptList, f"{_path(webhook_id)}/attempts", limit=limit))

    async def list_dead_letters(
        self, webhook_id: Text, *, limit: int | None = None, cursor: Text | None = None
    ) -> DeadLetterPage:
        """Returns a page of dead letters."""
        path = f"{_path(webhook_id)}/dead-letters"
        return await self._call(get(DeadLetterPage, path, limit=limit, cursor=cursor))

    async def dead_letters(self, webhook_id: Text, *, page_size: int | None = None) -> AsyncIterator[DeadLetter]:
        """Iterates over all dead letters, and requests pages as needed."""
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
        """Resends the dead letters with these ids, or all without `ids`."""
        body: dict[str, object] = {"all": True} if ids is None else {"ids": texts(ids, "ids")}
        path = f"{_path(webhook_id)}/dead-letters/resend"
        return await self._call(send(Resent, "POST", path, body, keyed=True, key=idempotency_key))


def _path(webhook_id: Text) -> str:
    return f"/api/v1/webhooks/{segment_of_path(webhook_id)}"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
