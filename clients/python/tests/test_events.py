"""Events, read and delivered, and what proves that a delivery is genuine."""

from __future__ import annotations

import time

import pytest

from fanfare_client import Fanfare, ForgedWebhook, verify_webhook
from tests.support.activity import TYPE, registered, started
from tests.support.phones import Phones
from tests.support.processes import eventually
from tests.support.receiver import Receiver
from tests.support.stack import Stack, Tenant


def test_events_are_read_page_by_page_and_none_twice(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    assert fanfare.change_event_settings(stream=True).stream and fanfare.get_event_settings().stream
    phones = Phones(stack, tenant, 2)
    activity_id = started(fanfare, phones)
    fanfare.end(activity_id=activity_id, activity_type=TYPE)
    wanted = ["push.live_activity_started", "broadcast.finished", "push.live_activity_ended"]
    seen: list[str] = []
    cursor = ""
    for page in fanfare.event_pages(types=wanted, page_size=1, pause=0.05, timeout=10):
        seen += [event.id for event in page.events]
        cursor = page.cursor
        if len(seen) == 4:
            break
    assert len(set(seen)) == 4
    assert list(fanfare.event_pages(after=cursor, types=wanted, pause=0.05, timeout=0.2)) == []
    everything = fanfare.list_events(limit=500)
    assert {event.id for event in everything.events} >= set(seen)
    assert {event.data.get("activity_id") for event in everything.events} == {activity_id}


def test_a_delivery_of_the_gateway_is_genuine_and_a_changed_one_forged(
    stack: Stack, tenant: Tenant, fanfare: Fanfare
) -> None:
    with Receiver() as receiver:
        webhook = fanfare.create_webhook(url=receiver.url, types=["broadcast.finished"])
        test = fanfare.test_webhook(webhook.id)
        eventually("the test has come", lambda: len(receiver.deliveries) == 1)
        delivery = receiver.deliveries[0]
        event = verify_webhook(webhook.secret, delivery.headers, delivery.body, now=time.time())
        assert (event.type, event.id) == ("webhook.test", test.event_id)

        forged = delivery.body.replace(b"webhook.test", b"webhook.tset")
        with pytest.raises(ForgedWebhook):
            verify_webhook(webhook.secret, delivery.headers, forged, now=time.time())
        with pytest.raises(ForgedWebhook):
            verify_webhook(webhook.secret, delivery.headers, delivery.body, now=time.time() + 3600)

        rotated = fanfare.rotate_webhook_secret(webhook.id)
        assert rotated.secret != webhook.secret
        fanfare.test_webhook(webhook.id)
        eventually("the second test has come", lambda: len(receiver.deliveries) == 2)
        second = receiver.deliveries[1]
        for secrets in (webhook.secret, rotated.secret, [rotated.secret, webhook.secret]):
            assert verify_webhook(secrets, second.headers, second.body, now=time.time()).type == "webhook.test"
        with pytest.raises(ForgedWebhook):
            verify_webhook(rotated.secret, delivery.headers, delivery.body, now=time.time())

        phones = Phones(stack, tenant, 1)
        fanfare.end(activity_id=registered(fanfare, phones), activity_type=TYPE)
        started(fanfare, phones)
        eventually("the broadcast is told of", lambda: len(receiver.deliveries) == 3)
        third = receiver.deliveries[2]
        event = verify_webhook(rotated.secret, third.headers, third.body, now=time.time())
        assert event.type == "broadcast.finished" and event.data["accepted"] == 1
        # The gateway records an attempt after its answer.
        eventually(
            "three attempts are recorded",
            lambda: len(fanfare.list_webhook_attempts(webhook.id, limit=10).attempts) == 3,
        )
        attempts = fanfare.list_webhook_attempts(webhook.id, limit=10).attempts
        assert all(a.delivered and a.status == 204 for a in attempts)


def test_webhooks_are_made_once_changed_and_deleted(fanfare: Fanfare) -> None:
    with Receiver() as receiver:
        made = [fanfare.create_webhook(url=receiver.url, idempotency_key="hook") for _ in range(2)]
        assert made[0].id == made[1].id and made[0].secret == made[1].secret and made[1].meta.replayed
        changed = fanfare.update_webhook(made[0].id, types=["quota.near"], enabled=False)
        assert (changed.types, changed.enabled) == (("quota.near",), False)
        assert [webhook.id for webhook in fanfare.list_webhooks().webhooks] == [made[0].id]
        assert fanfare.get_webhook(made[0].id).dead_letters == 0
        assert list(fanfare.dead_letters(made[0].id)) == []
        assert fanfare.resend_dead_letters(made[0].id, ids=["evt_of_nobody"]).resent == 0
        fanfare.delete_webhook(made[0].id)
        assert fanfare.list_webhooks().webhooks == ()
