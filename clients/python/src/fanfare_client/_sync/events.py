"""Events: the event stream and webhooks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Iterable

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
from .base import Routes


class Events(Routes):
    """The routes under `/api/v1/events` and `/api/v1/webhooks`. Verify deliveries with `verify_webhook`."""

    def list_events(
        self, *, after: Text | None = None, limit: int | None = None, types: Iterable[Text] | None = None
    ) -> EventPage:
        """Returns a page of the stream, oldest event first. The stream records events only while it is enabled.

        - after: the `cursor` of an earlier page. Without it, the page begins with the oldest event.
        - types: the event types to return. Default: all.
        """
        wanted = None if types is None else ",".join(texts(types, "types"))
        return self._call(get(EventPage, "/api/v1/events", after=after, limit=limit, types=wanted))

    def event_pages(
        self,
        *,
        after: Text | None = None,
        types: Iterable[Text] | None = None,
        page_size: int | None = None,
        pause: Seconds = 1.0,
        timeout: Seconds | None = None,
    ) -> Iterator[EventPage]:
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
            page = self.list_events(after=place, limit=page_size, types=wanted)
            place = next_cursor(page.cursor, place) if page.events else page.cursor
            if page.events:
                yield page
                last = time.monotonic()
                continue
            if limit is not None and time.monotonic() - last + between > limit:
                return
            time.sleep(between)

    def get_event_settings(self) -> EventSettings:
        """Returns the settings of the event stream."""
        return self._call(get(EventSettings, "/api/v1/events/settings"))

    def change_event_settings(self, *, stream: bool | None = None, audit: bool | None = None) -> EventSettings:
        """Changes the settings of the event stream. Pass at least one of `stream` and `audit`."""
        body = {"stream": stream, "audit": audit}
        return self._call(send(EventSettings, "PUT", "/api/v1/events/settings", body))

    def create_webhook(
        self, *, url: str, types: Iterable[Text] | None = None, idempotency_key: Text | None = None
    ) -> CreatedWebhook:
        """Creates a webhook that receives events at a URL. The reply shows the secret only once.

        - types: the event types to send. Default: all.
        """
        body = {"url": url, "types": None if types is None else texts(types, "types")}
        return self._call(send(CreatedWebhook, "POST", "/api/v1/webhooks", body, keyed=True, key=idempotency_key))

    def get_webhook(self, webhook_id: Text) -> Webhook:
        """Returns a webhook with its counts."""
        return self._call(get(Webhook, _path(webhook_id)))

    def update_webhook(
        self,
        webhook_id: Text,
        *,
        url: str | None = None,
        types: Iterable[Text] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Changes the passed settings of a webhook."""
        body = {"url": url, "types": None if types is None else texts(types, "types"), "enabled": enabled}
        return self._call(send(Webhook, "PATCH", _path(webhook_id), body))

    def delete_webhook(self, webhook_id: Text) -> Success:
        """Deletes a webhook with its pending events and dead letters."""
        return self._call(delete(Success, _path(webhook_id), _deleted))

    def list_webhooks(self) -> WebhookList:
        """Returns all webhooks."""
        return self._call(get(WebhookList, "/api/v1/webhooks"))

    def rotate_webhook_secret(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> RotatedSecret:
        """Creates a new secret for a webhook. The old one signs deliveries as well for a day."""
        path = f"{_path(webhook_id)}/rotate-secret"
        return self._call(send(RotatedSecret, "POST", path, None, keyed=True, key=idempotency_key))

    def test_webhook(self, webhook_id: Text, *, idempotency_key: Text | None = None) -> WebhookTest:
        """Sends a `webhook.test` event."""
        path = f"{_path(webhook_id)}/test"
        return self._call(send(WebhookTest, "POST", path, None, keyed=True, key=idempotency_key))

    def list_webhook_attempts(self, webhook_id: Text, *, limit: int | None = None) -> AttemptList:
        """Returns at most 200 attempts of the last day, newest first."""
        return self._call(get(AttemptList, f"{_path(webhook_id)}/attempts", limit=limit))

    def list_dead_letters(
        self, webhook_id: Text, *, limit: int | None = None, cursor: Text | None = None
    ) -> DeadLetterPage:
        """Returns a page of dead letters."""
        path = f"{_path(webhook_id)}/dead-letters"
        return self._call(get(DeadLetterPage, path, limit=limit, cursor=cursor))

    def dead_letters(self, webhook_id: Text, *, page_size: int | None = None) -> Iterator[DeadLetter]:
        """Iterates over all dead letters, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = self.list_dead_letters(webhook_id, limit=page_size, cursor=cursor)
            for letter in page.dead_letters:
                yield letter
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return

    def resend_dead_letters(
        self, webhook_id: Text, *, ids: Iterable[Text] | None = None, idempotency_key: Text | None = None
    ) -> Resent:
        """Resends the dead letters with these ids, or all without `ids`."""
        body: dict[str, object] = {"all": True} if ids is None else {"ids": texts(ids, "ids")}
        path = f"{_path(webhook_id)}/dead-letters/resend"
        return self._call(send(Resent, "POST", path, body, keyed=True, key=idempotency_key))


def _path(webhook_id: Text) -> str:
    return f"/api/v1/webhooks/{segment_of_path(webhook_id)}"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
