"""Bad days between the client and the provider: what was lost, who was killed, and that nobody got a thing twice."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from fanfare_client import (
    AsyncFanfare,
    ConnectionFailed,
    Fanfare,
    IdempotencyKeyReused,
    RateLimited,
    RetryPolicy,
    Unavailable,
)
from fanfare_client.replies.broadcasts import Broadcast
from tests.conftest import QUICK
from tests.support.activity import KICK_OFF, TYPE, an_hour_from_now, registered, started
from tests.support.lossy_proxy import LossyProxy
from tests.support.phones import Phones
from tests.support.processes import eventually, free_port
from tests.support.stack import Stack, Tenant

ONCE = RetryPolicy(attempts=1, deadline=10, attempt_timeout=8)


def test_a_start_whose_answer_is_lost_is_sent_again_and_pushed_once(
    stack: Stack, tenant: Tenant, fanfare: Fanfare
) -> None:
    phones = Phones(stack, tenant, 3)
    activity_id = registered(fanfare, phones)
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        proxy.lose_answers(2)
        start = distant.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
        assert proxy.lost == 2
    assert start.meta.replayed and start.sessions_triggered == 3
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)


def test_the_same_without_threads(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = registered(fanfare, phones)

    async def start(url: str) -> Broadcast:
        async with AsyncFanfare(url, tenant.api_key, policy=QUICK) as distant:
            reply = await distant.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
            assert reply.meta.replayed
            return await distant.wait(reply, timeout=30)

    with LossyProxy(stack.port) as proxy:
        proxy.lose_answers(1)
        assert asyncio.run(start(proxy.url)).accepted == 2
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)


def test_a_register_whose_answer_is_lost_makes_one_activity(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 1)
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        proxy.lose_answers(1)
        activity_id = registered(distant, phones)
    assert [activity.activity_id for activity in fanfare.activities()] == [activity_id]


def test_who_gives_up_can_go_on_later_with_the_key(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = registered(fanfare, phones)
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=ONCE) as distant:
        proxy.lose_answers(1)
        with pytest.raises(ConnectionFailed) as lost:
            distant.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
    key = lost.value.idempotency_key
    start = fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF, idempotency_key=key)
    assert start.meta.replayed and start.sessions_triggered == 2
    other = {**KICK_OFF, "message": "Something else"}
    with pytest.raises(IdempotencyKeyReused):
        fanfare.start(activity_id=activity_id, activity_type=TYPE, content=other, idempotency_key=key)


def test_changes_whose_answer_is_lost_are_counted_as_they_were(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = registered(fanfare, phones)
    named = {"activity_id": activity_id, "activity_type": TYPE}
    fanfare.put_segment("vip", ["x"])
    fanfare.put_topic("match", activity_type=TYPE, state="upcoming")
    fanfare.schedule(activity_id=activity_id, event="end", offset=600)
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        for call, count in (
            (lambda: distant.remove_users(**named, insider_ids=[phones.users[0]]), "removed_users"),
            (lambda: distant.add_users(**named, insider_ids=[phones.users[0]]), "registered_users"),
            (lambda: distant.cancel_schedules(activity_id=activity_id), "canceled"),
            (lambda: distant.add_segment_users("vip", ["y"]), "added_users"),
            (lambda: distant.add_followers("match", ["y"]), "added_users"),
        ):
            before = proxy.lost
            proxy.lose_answers(1)
            reply = call()
            assert proxy.lost == before + 1 and reply.meta.replayed and getattr(reply, count) == 1


def test_a_deletion_whose_answer_is_lost_is_done(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    fanfare.put_segment("vip", ["ann"])
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        proxy.lose_answers(1)
        distant.delete_segment("vip")
        assert proxy.lost == 1
    assert list(fanfare.segments()) == []


def test_a_store_that_stands_still(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = started(fanfare, phones)
    stack.redis.send(signal.SIGSTOP)
    try:
        with Fanfare(stack.url, tenant.api_key, policy=ONCE) as impatient, pytest.raises(Unavailable) as refused:
            impatient.update(activity_id=activity_id, activity_type=TYPE, content={"content_state": {"n": 1}})
        assert refused.value.code == "STORE_UNAVAILABLE" and refused.value.retry_after is not None
        threading.Timer(1.0, lambda: stack.redis.send(signal.SIGCONT)).start()
        update = fanfare.update(activity_id=activity_id, activity_type=TYPE, content={"content_state": {"n": 2}})
    finally:
        stack.redis.send(signal.SIGCONT)
    assert update.sessions_triggered == 2


def test_a_store_that_is_killed_and_comes_back(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = registered(fanfare, phones)
    stack.redis.kill()
    with ThreadPoolExecutor() as threads:
        call = threads.submit(fanfare.start, activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
        time.sleep(0.5)
        assert not call.done()
        stack.restart_redis()
        assert call.result(20).sessions_triggered == 2
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)


def test_a_key_that_has_sent_too_much(stack: Stack, tenant: Tenant) -> None:
    port = free_port()
    strict = stack.start_gateway(port, FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE="3")
    soon = RetryPolicy(deadline=2)
    with Fanfare(f"http://127.0.0.1:{port}", tenant.api_key, policy=soon) as fanfare:
        rates = [fanfare.get_limits().meta.rate_limit for _ in range(3)]
        begin = time.monotonic()
        with pytest.raises(RateLimited) as refused:
            fanfare.get_limits()
    strict.stop()
    assert [rate and rate.remaining for rate in rates] == [2, 1, 0]
    assert refused.value.retry_after is not None and 50 < refused.value.retry_after <= 60
    assert time.monotonic() - begin < 1, "a pause that ends after the deadline is not begun"


def test_what_is_too_much_at_once_is_sent_again_after_the_time_named(stack: Stack, tenant: Tenant) -> None:
    port = free_port()
    narrow = stack.start_gateway(
        port, FANFARE_HTTP_TRUSTED_PROXIES="127.0.0.1", FANFARE_HTTP_MAX_CONNECTIONS_PER_ADDRESS="1"
    )
    stack.script({"latency": {"fixed_ms": 1200}})
    phones = Phones(stack, tenant, 1)
    answers: list[int] = []
    http = httpx.Client(
        headers={"X-Forwarded-For": "203.0.113.9"}, event_hooks={"response": [lambda r: answers.append(r.status_code)]}
    )
    with Fanfare(f"http://127.0.0.1:{port}", tenant.api_key, policy=QUICK, http=http) as fanfare:
        activity_id = registered(fanfare, phones)
        with ThreadPoolExecutor() as threads:
            start = threads.submit(fanfare.start, activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
            eventually("the start is under way", lambda: len(stack.pushes_of("start", phones.start_tokens)) == 1)
            begin = time.monotonic()
            fanfare.get_limits()
            waited = time.monotonic() - begin
            assert start.result(20).sessions_triggered == 1
    http.close()
    narrow.stop()
    assert 429 in answers and waited >= 1.0


def test_nobody_there(tenant: Tenant) -> None:
    policy = RetryPolicy(attempts=3, first_pause=0.01)
    with Fanfare(f"http://127.0.0.1:{free_port()}", tenant.api_key, policy=policy) as fanfare:
        with pytest.raises(ConnectionFailed) as failed:
            fanfare.register(activity_type=TYPE, insider_ids=["ann"], ends_at=an_hour_from_now())
    assert failed.value.attempts == 3 and failed.value.idempotency_key is not None
    assert tenant.api_key not in str(failed.value)
