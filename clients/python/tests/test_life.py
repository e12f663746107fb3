"""An activity's life, by both clients, compared with what the provider was sent."""

from __future__ import annotations

import asyncio

import pytest

from fanfare_client import (
    AlreadyStarted,
    AsyncFanfare,
    DeviceNotSynced,
    Fanfare,
    NoEligibleDevice,
    NotFound,
    RawJSON,
    Unauthorized,
)
from fanfare_client.replies.broadcasts import Broadcast
from tests.support.activity import KICK_OFF, TYPE, an_hour_from_now, registered
from tests.support.phones import Phones
from tests.support.stack import Stack, Tenant

def test_a_life_is_what_the_provider_was_sent(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 5)
    made = fanfare.register(activity_type=TYPE, insider_ids=phones.users, ends_at=an_hour_from_now())
    assert (made.registered_users, made.registered_devices, made.partial) == (5, 5, False)
    assert made.meta.rate_limit is not None and made.meta.rate_limit.limit == 1000

    start = fanfare.start(activity_id=made.activity_id, activity_type=TYPE, content=KICK_OFF)
    assert start.is_complete and start.sessions_triggered == 5
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)

    with pytest.raises(DeviceNotSynced) as refused:
        fanfare.update(activity_id=made.activity_id, activity_type=TYPE, content={"content_state": {"home": 1}})
    assert refused.value.skipped == {"not_synced": 5} and refused.value.retry_after is not None

    phones.sync_all(made.activity_id)
    state = RawJSON('{"home": 1.0, "away":0,"x":12345678901234567890}')
    update = fanfare.update(activity_id=made.activity_id, activity_type=TYPE, content={"content_state": state})
    assert update.sessions_triggered == 5 and update.updates_this_hour == 1
    assert stack.pushes_of("update", phones.update_tokens) == dict.fromkeys(phones.update_tokens, 1)
    assert all(state.text.encode() in push.payload for push in stack.pushes() if push.token in phones.update_tokens)

    details = fanfare.get_activity(made.activity_id)
    assert (details.state, details.counts.active) == ("STARTED", 5)
    devices = list(fanfare.devices(made.activity_id, page_size=2))
    assert sorted(d.insider_id for d in devices) == sorted(phones.users)
    assert {d.last_outcome for d in devices} == {"accepted"}

    end = fanfare.end(activity_id=made.activity_id, activity_type=TYPE)
    assert end.sessions_triggered == 5
    with pytest.raises(NotFound):
        fanfare.end(activity_id=made.activity_id, activity_type=TYPE)
    assert made.activity_id in {activity.activity_id for activity in fanfare.activities(state="DEAD", page_size=1)}


def test_the_same_without_threads(stack: Stack, tenant: Tenant) -> None:
    phones = Phones(stack, tenant, 3)

    async def life() -> list[Broadcast]:
        heard: list[Broadcast] = []
        async with AsyncFanfare(stack.url, tenant.api_key) as fanfare:
            made = await fanfare.register(activity_type=TYPE, insider_ids=phones.users, ends_at=an_hour_from_now())
            start = await fanfare.start(
                activity_id=made.activity_id, activity_type=TYPE, content=KICK_OFF, respond_async=True
            )
            assert not start.is_complete
            await fanfare.wait(start, on_progress=heard.append, timeout=60)
            phones.sync_all(made.activity_id)
            await asyncio.gather(
                *(
                    fanfare.update(activity_id=made.activity_id, activity_type=TYPE, content={"content_state": {"n": n}})
                    for n in range(3)
                )
            )
            assert [d.state async for d in fanfare.devices(made.activity_id, page_size=1)] == ["active"] * 3
            assert (await fanfare.end(activity_id=made.activity_id, activity_type=TYPE)).sessions_triggered == 3
        return heard

    heard = asyncio.run(life())
    assert heard[-1].state == "done" and heard[-1].accepted == 3 and heard[-1].settled == heard[-1].total


def test_a_second_start_is_refused_and_says_so(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 1)
    activity_id = registered(fanfare, phones)
    fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
    with pytest.raises(AlreadyStarted) as refused:
        fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
    assert (refused.value.status, refused.value.code, refused.value.attempts) == (409, "ALREADY_STARTED", 1)
    assert len(refused.value.request_id) == 36


def test_who_is_passed_over_is_counted(fanfare: Fanfare) -> None:
    with pytest.raises(NoEligibleDevice) as refused:
        fanfare.register(activity_type=TYPE, insider_ids=["nobody", "no one"], ends_at=an_hour_from_now())
    assert refused.value.skipped == {"unknown_user": 2}


def test_a_wrong_key_is_refused_at_once_and_is_in_no_message(stack: Stack) -> None:
    with Fanfare(stack.url, "ffk_of_nobody") as fanfare, pytest.raises(Unauthorized) as refused:
        fanfare.get_limits()
    assert refused.value.attempts == 1
    assert "ffk_of_nobody" not in str(refused.value) + repr(refused.value) + repr(fanfare)
