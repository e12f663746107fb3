"""Stored segments: uploads of any size, and what becomes of those that break off."""

from __future__ import annotations

import asyncio
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator

import httpx
import pytest

from fanfare_client import AsyncFanfare, BadRequest, ConnectionFailed, Fanfare, NotFound, RetryPolicy
from tests.conftest import QUICK
from tests.support.activity import TYPE, an_hour_from_now
from tests.support.lossy_proxy import LossyProxy
from tests.support.phones import Phones
from tests.support.stack import Stack, Tenant

MANY = 50_000


def fans(count: int) -> Iterator[str]:
    return (f"fan-{number:012}" for number in range(count))


class Lines:
    """The lines of a file, from where it is: it can be asked for an iterator again, and gives the rest."""

    def __init__(self, file: Iterable[str]) -> None:
        self._file = file

    def __iter__(self) -> Iterator[str]:
        return (line.strip() for line in self._file)


def test_many_users_go_out_in_little_memory(fanfare: Fanfare) -> None:
    fanfare.put_segment("fans", fans(1000))
    tracemalloc.start()
    segment = fanfare.put_segment("fans", fans(MANY))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert segment.users == MANY == fanfare.get_segment("fans").users
    assert peak < 1_000_000, f"{peak} bytes for {MANY} users"


def test_users_are_added_and_removed_and_an_activity_made_of_them(
    stack: Stack, tenant: Tenant, fanfare: Fanfare
) -> None:
    phones = Phones(stack, tenant, 3)
    fanfare.put_segment("vip", phones.users[:2])
    assert fanfare.add_segment_users("vip", phones.users).added_users == 1
    assert fanfare.remove_segment_users("vip", [phones.users[0], "nobody"]).removed_users == 1
    made = fanfare.register(activity_type=TYPE, segment="vip", ends_at=an_hour_from_now())
    assert made.registered_users == 2


def test_segments_are_listed_and_deleted(fanfare: Fanfare) -> None:
    for name in ("a", "b", "c:~1.x"):
        fanfare.put_segment(name, ["ann"])
    assert [segment.name for segment in fanfare.segments(page_size=1)] == ["a", "b", "c:~1.x"]
    fanfare.delete_segment("b")
    with pytest.raises(NotFound):
        fanfare.delete_segment("b")
    with pytest.raises(NotFound):
        fanfare.get_segment("b")


def test_a_source_that_fails_changes_nothing(fanfare: Fanfare) -> None:
    def failing() -> Iterator[str]:
        yield from fans(50_000)
        raise RuntimeError("the database is gone")

    fanfare.put_segment("fans", ["ann", "bob"])
    with pytest.raises(RuntimeError, match="the database is gone"):
        fanfare.put_segment("fans", failing())
    assert fanfare.get_segment("fans").users == 2


def test_an_upload_that_is_refused_half_way_says_why(fanfare: Fanfare) -> None:
    def broken() -> Iterator[str]:
        yield from fans(1000)
        yield ""
        yield from fans(MANY)

    with pytest.raises(BadRequest) as refused:
        fanfare.put_segment("fans", broken())
    assert refused.value.code == "VALIDATION_FAILED" and "1001" in str(refused.value)


def test_an_upload_that_breaks_off_is_repeated_if_it_can_be(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    users = list(fans(50_000))
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        proxy.cut_request(after=300_000)
        assert distant.put_segment("fans", users).users == 50_000
        assert proxy.lost == 1
        proxy.cut_request(after=300_000)
        with pytest.raises(ConnectionFailed) as failed:
            distant.put_segment("fans", iter(users[:40_000]))
        assert failed.value.attempts == 1
    assert fanfare.get_segment("fans").users == 50_000


def test_an_upload_takes_as_long_as_its_source(stack: Stack, tenant: Tenant) -> None:
    def slow() -> Iterator[str]:
        for fan in fans(8):
            time.sleep(0.2)
            yield fan

    async def source() -> AsyncIterator[str]:
        for fan in fans(8):
            await asyncio.sleep(0.2)
            yield fan

    async def upload() -> int:
        async with AsyncFanfare(stack.url, tenant.api_key, policy=short) as fanfare:
            return (await fanfare.put_segment("fans", source())).users

    short = RetryPolicy(attempts=1, deadline=5, attempt_timeout=1)
    with Fanfare(stack.url, tenant.api_key, policy=short) as fanfare:
        assert fanfare.put_segment("fans", slow()).users == 8
    assert asyncio.run(upload()) == 8


def test_a_source_that_goes_on_where_it_was_leaves_no_segment_with_the_rest(
    stack: Stack, tenant: Tenant, fanfare: Fanfare
) -> None:
    fanfare.put_segment("fans", ["ann", "bob"])
    with LossyProxy(stack.port) as proxy, Fanfare(proxy.url, tenant.api_key, policy=QUICK) as distant:
        with tempfile.NamedTemporaryFile("w+") as file:
            file.writelines(f"{fan}-with-a-long-name\n" for fan in fans(50_000))
            file.seek(0)
            proxy.cut_request(after=300_000)
            with pytest.raises(ValueError, match="other users"):
                distant.put_segment("fans", Lines(file))
        assert proxy.lost == 1
    assert fanfare.get_segment("fans").users == 2


def test_a_source_whose_own_network_fails_is_not_taken_for_the_gateways(fanfare: Fanfare) -> None:
    def failing() -> Iterator[str]:
        yield "ann"
        raise httpx.ReadTimeout("the source")

    with pytest.raises(httpx.ReadTimeout, match="the source"):
        fanfare.put_segment("fans", failing())


def test_users_may_come_from_an_asynchronous_source(stack: Stack, tenant: Tenant) -> None:
    async def source() -> AsyncIterator[str]:
        for fan in fans(20_000):
            yield fan

    async def life() -> tuple[int, int]:
        async with AsyncFanfare(stack.url, tenant.api_key) as fanfare:
            whole = await fanfare.put_segment("fans", source())
            less = await fanfare.remove_segment_users("fans", fans(5))
            return whole.users, less.users

    assert asyncio.run(life()) == (20_000, 19_995)
