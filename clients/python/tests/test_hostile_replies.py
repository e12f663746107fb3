"""Replies that no gateway gives: each is an error of this package, soon and in little memory."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import Callable

import pytest

from fanfare_client import AsyncFanfare, ConnectionFailed, Fanfare, FanfareError, RateLimited, RetryPolicy, UnexpectedReply
from fanfare_client.replies.broadcasts import BroadcastReply
from tests.support.activity import KICK_OFF, TYPE
from tests.support.scripted_server import ScriptedServer, reply

SOON = RetryPolicy(attempts=2, deadline=4, attempt_timeout=1, first_pause=0.01)
DONE = '{"status":"success","sessions_triggered":1}'
RUNNING = (
    '{"broadcast_id":"b","activity_id":"a","kind":"start","state":"running","total":2,"accepted":1,'
    '"created_at":"2026-11-21T13:59:06Z"}'
)
HUGE = "1" + "0" * 400


def started(fanfare: Fanfare) -> BroadcastReply:
    return fanfare.start(activity_id="a", activity_type=TYPE, content=KICK_OFF)


def failure(answer: bytes, call: Callable[[Fanfare], object] = started) -> FanfareError:
    """What the call raises when each of its requests is answered so."""
    with ScriptedServer(lambda number, line: answer) as server, Fanfare(server.url, "key", policy=SOON) as fanfare:
        with pytest.raises(FanfareError) as failed:
            call(fanfare)
    return failed.value


def test_an_answer_that_is_cut_anywhere_is_no_answer() -> None:
    whole = reply(DONE)
    for length in range(0, len(whole), 3):
        failed = failure(whole[:length])
        assert isinstance(failed, ConnectionFailed) and failed.attempts == 2


@pytest.mark.parametrize(
    "answer",
    [
        reply('{"status":"succ'),
        reply("<html>", media="text/html"),
        reply("[" * 100_000),
        reply("", "Location: http://127.0.0.1:1/", status=307),
        reply("", "Location: javascript:x", status=302),
        reply("", "Location: http://xn--/", status=302),
    ],
)
def test_what_is_no_reply_has_the_key_to_go_on_with(answer: bytes) -> None:
    failed = failure(answer)
    assert isinstance(failed, UnexpectedReply) and failed.idempotency_key is not None


def test_a_body_that_is_compressed_twice_is_not_unpacked() -> None:
    bomb = reply(gzip.compress(gzip.compress(bytes(32 << 20))), "Content-Encoding: gzip, gzip")
    tracemalloc.start()
    failed = failure(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(failed, UnexpectedReply) and peak < 4 << 20, f"{peak} bytes"


def test_gzip_alone_is_asked_for_and_a_proxys_page_in_another_coding_is_still_a_refusal() -> None:
    def script(number: int, line: str) -> bytes:
        if number == 0:
            return reply("busy", "Content-Encoding: br", status=502)
        return reply(gzip.compress(DONE.encode()), "Content-Encoding: gzip")

    with ScriptedServer(script) as server, Fanfare(server.url, "key", policy=SOON) as fanfare:
        assert started(fanfare).sessions_triggered == 1
    assert all("accept-encoding: gzip\r" in head.lower() for head in server.heads)


def test_numbers_that_no_computer_has() -> None:
    assert isinstance(failure(reply('{"code":"RATE_LIMITED","retry_after":' + HUGE + "}", status=429)), RateLimited)
    broadcast = reply(RUNNING.replace("}", f',"pushes_per_second":{HUGE}}}'))
    assert isinstance(failure(broadcast, lambda fanfare: fanfare.get_broadcast("b")), UnexpectedReply)


def test_silence_in_the_middle_of_a_reply_ends_with_the_attempt() -> None:
    once = RetryPolicy(attempts=1, deadline=1, attempt_timeout=1)
    with ScriptedServer(lambda number, line: reply(DONE)) as server, Fanfare(server.url, "key", policy=once) as fanfare:
        server.stall(after=0.8, seconds=5)
        begin = time.monotonic()
        with pytest.raises(ConnectionFailed):
            started(fanfare)
        assert time.monotonic() - begin < 1.6


def test_a_page_that_names_itself_as_the_next_one_ends_the_listing() -> None:
    page = reply('{"status":"success","segments":[],"activities":[],"cursor":"c"}')
    assert isinstance(failure(page, lambda fanfare: list(fanfare.segments())), UnexpectedReply)
    assert isinstance(failure(page, lambda fanfare: list(fanfare.activities())), UnexpectedReply)
    event = '{"id":"e","type":"t","timestamp":"2026-11-21T13:59:06Z","data":{}}'
    page = reply('{"status":"success","events":[' + event + '],"cursor":"c"}')
    assert isinstance(failure(page, lambda fanfare: list(fanfare.event_pages(after="c"))), UnexpectedReply)


def test_the_same_without_threads() -> None:
    async def fails(url: str) -> None:
        async with AsyncFanfare(url, "key", policy=SOON) as fanfare:
            with pytest.raises(UnexpectedReply):
                await fanfare.start(activity_id="a", activity_type=TYPE, content=KICK_OFF)
            with pytest.raises(UnexpectedReply):
                async for _ in fanfare.segments():
                    pass

    bomb = reply(gzip.compress(bytes(1 << 20)), "Content-Encoding: gzip, gzip")
    page = reply('{"status":"success","segments":[],"cursor":"c"}')
    with ScriptedServer(lambda number, line: page if line.startswith("GET") else bomb) as server:
        asyncio.run(fails(server.url))


@pytest.mark.parametrize(
    "stream", ["retry: " + "9" * 400, "retry: " + "9" * 5000, "id: \u00fc", "id: \x01", "id: " + "x" * 10_000]
)
def test_a_stream_that_asks_for_what_cannot_be_is_opened_again(stream: str) -> None:
    events = f"{stream}\nevent: progress\ndata: {RUNNING}\n\n"
    final = RUNNING.replace("running", "done")

    def script(number: int, line: str) -> bytes:
        if "/events" not in line:
            return reply(RUNNING)
        text = events if number == 0 else f"event: end\ndata: {final}\n\n"
        return reply(text, media="text/event-stream")

    with ScriptedServer(script) as server, Fanfare(server.url, "key", policy=SOON) as fanfare:
        assert fanfare.wait("b", timeout=30).state == "done"


def test_a_stream_of_another_broadcast_is_not_taken_for_this_one() -> None:
    other = RUNNING.replace("running", "done").replace('"b"', '"c"')
    for data in (other, "[" * 100_000):
        stream = reply(f"event: end\ndata: {data}\n\n", media="text/event-stream")
        assert isinstance(failure(stream, lambda fanfare: fanfare.wait("b", timeout=30)), UnexpectedReply)
