"""Waiting for a broadcast: what is heard meanwhile, by which way, and for how long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from fanfare_client import Fanfare, NotFound, RetryPolicy, UnexpectedReply, WaitTimeout
from fanfare_client.following import SILENCE, Following
from fanfare_client.replies.broadcasts import Broadcast
from fanfare_client.replies.reading import Meta
from fanfare_client.sse import ServerSentEvent
from tests.conftest import QUICK
from tests.support.activity import KICK_OFF, TYPE, an_hour_from_now
from tests.support.lossy_proxy import LossyProxy
from tests.support.processes import eventually, free_port
from tests.support.stack import Stack, Tenant


@pytest.fixture
def activity_id(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> Iterator[str]:
    """An activity of so many phones that its start takes a second or two."""
    users = stack.import_phones(tenant, 2500)
    stack.script({"latency": {"min_ms": 50, "max_ms": 500}})
    yield fanfare.register(activity_type=TYPE, insider_ids=users, ends_at=an_hour_from_now()).activity_id


def asked(paths: list[str]) -> httpx.Client:
    """A client that notes what it asks for."""
    return httpx.Client(event_hooks={"request": [lambda request: paths.append(request.url.path.rpartition("/")[2])]})


def test_progress_is_heard_over_one_stream(stack: Stack, tenant: Tenant, activity_id: str) -> None:
    paths: list[str] = []
    heard: list[Broadcast] = []
    with asked(paths) as http, Fanfare(stack.url, tenant.api_key, http=http) as fanfare:
        start = fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF, respond_async=True)
        whole = fanfare.wait(start, on_progress=heard.append, timeout=60)
    assert paths == ["start", "events"]
    assert (whole.state, whole.accepted, whole.total) == ("done", 2500, 2500) and heard[-1] == whole
    assert len({broadcast.accepted for broadcast in heard}) > 2
    assert [b.accepted for b in heard] == sorted(b.accepted for b in heard)


def test_a_stream_that_breaks_off_is_opened_again(stack: Stack, tenant: Tenant, activity_id: str) -> None:
    paths: list[str] = []
    heard: list[Broadcast] = []
    with LossyProxy(stack.port) as proxy, asked(paths) as http, ThreadPoolExecutor() as threads:
        fanfare = Fanfare(proxy.url, tenant.api_key, policy=QUICK, http=http)
        start = fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF, respond_async=True)
        waiting = threads.submit(fanfare.wait, start, on_progress=heard.append, timeout=60)
        eventually("something is heard", lambda: len(heard) > 0)
        assert not heard[-1].is_final
        proxy.break_connections()
        assert waiting.result(60).accepted == 2500
    assert paths.count("events") == 2 and heard[-1].is_final


def test_a_short_wait_asks_and_keeps_to_its_time(
    stack: Stack, tenant: Tenant, fanfare: Fanfare, activity_id: str
) -> None:
    stack.script({"rules": [{"status": 503, "reason": "ServiceUnavailable"}]})
    start = fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF, respond_async=True)
    begin = time.monotonic()
    with pytest.raises(WaitTimeout, match="0 accepted"):
        fanfare.wait(start, timeout=1.5)
    assert 1.5 <= time.monotonic() - begin < 3.0


def test_waiting_for_what_is_not_there(fanfare: Fanfare, tenant: Tenant) -> None:
    with pytest.raises(NotFound):
        fanfare.wait("4978e9e5-e872-46c3-97e6-dca11aa6a53e")
    with Fanfare(f"http://127.0.0.1:{free_port()}", tenant.api_key, policy=QUICK) as nobody:
        with pytest.raises(WaitTimeout):
            nobody.wait("4978e9e5-e872-46c3-97e6-dca11aa6a53e", timeout=1)


META = Meta(200, "r-1", False, None)
STATE = (
    '{"broadcast_id":"b","activity_id":"a","kind":"start","state":"running","total":2,"accepted":1,'
    '"created_at":"2026-11-21T13:59:06Z"}'
)


def followed(timeout: float = 100) -> Following:
    return Following("b", RetryPolicy(first_pause=1, longest_pause=4), now=0, timeout=timeout)


def test_a_stream_is_left_in_time() -> None:
    following = followed(timeout=SILENCE + 10)
    assert following.wants_stream(9) and not following.wants_stream(11)
    with pytest.raises(WaitTimeout):
        following.left(SILENCE + 10)


def test_losses_in_a_row_make_the_pauses_longer_and_news_makes_them_short_again() -> None:
    following = followed()
    assert [following.pause_after_loss(0, 1.0) for _ in range(4)] == [1, 2, 4, 4]
    following.stay_away = 9
    assert following.pause_after_loss(0, 1.0) == 9
    following.stay_away = None
    assert following.heard(ServerSentEvent("progress", STATE, "17"), META) is following.broadcast
    assert following.last_event_id == "17"
    assert following.pause_after_loss(0, 1.0) == 1
    assert following.pause_after_loss(99.5, 1.0) == 0.5


def test_a_stream_that_breaks_off_at_each_event_does_not_use_up_the_rate() -> None:
    following = followed()
    for number in range(3):
        following.heard(ServerSentEvent("progress", STATE, str(number)), META)
        assert following.pause_after_loss(0, 0.0) == 1


def test_questions_become_rarer() -> None:
    following = followed()
    assert [round(following.pause_between_questions(0), 1) for _ in range(6)] == [0.1, 0.2, 0.4, 0.8, 1, 1]


def test_events_of_other_kinds_are_passed_over_and_broken_ones_are_not() -> None:
    following = followed()
    assert following.heard(ServerSentEvent("news", "{}", ""), META) is None
    for data in ("no", "[]", "{}"):
        with pytest.raises(UnexpectedReply):
            following.heard(ServerSentEvent("end", data, ""), META)
