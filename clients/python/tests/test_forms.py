"""What goes out and what comes in: JSON, replies, events, lists of users; without a network."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID

import pytest

from fanfare_client import DeviceKey, RawJSON, UnexpectedReply
from fanfare_client.arguments import texts
from fanfare_client.json_text import encode_json
from fanfare_client.naming import devices_body, users_body
from fanfare_client.replies.activities import ActivityDetails, Registered
from fanfare_client.replies.events import CreatedWebhook
from fanfare_client.replies.reading import Meta, read_reply, read_time
from fanfare_client.request import get, segment_of_path, send
from fanfare_client.settings import Settings
from fanfare_client.sse import EventParser, ServerSentEvent
from fanfare_client.users_body import PIECE, UsersBody

META = Meta(200, "r-1", False, None)


def test_json_is_exact_where_the_caller_is() -> None:
    value = {"a": RawJSON('{"x":1.0, "x":2e3}'), "b": Decimal("1.10"), "c": "Zoë", "d": [1, True, None]}
    assert encode_json(value) == '{"a":{"x":1.0, "x":2e3},"b":1.10,"c":"Zoë","d":[1,true,null]}'.encode()


def test_times_go_out_in_utc() -> None:
    time = datetime(2026, 11, 21, 20, 30, tzinfo=timezone(timedelta(hours=1)))
    assert encode_json([time]) == b'["2026-11-21T19:30:00Z"]'


@pytest.mark.parametrize(
    "value", [float("nan"), Decimal("Infinity"), datetime(2026, 1, 1), "\ud800", {1: 2}, object(), b"bytes", {1, 2}]
)
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_json(value)


@pytest.mark.parametrize("text", ["", "{", '{"a":NaN}', "{}}", '{}, "target_devices": []'])
def test_raw_json_is_json(text: str) -> None:
    with pytest.raises(ValueError):
        RawJSON(text)


def test_a_list_of_devices_that_has_none_is_not_taken_for_all() -> None:
    assert devices_body(None) is None
    assert devices_body([("ann", "phone-1")]) == [{"insider_id": "ann", "udid": "phone-1"}]
    with pytest.raises(ValueError):
        devices_body([])


def test_one_user_is_not_taken_for_several() -> None:
    with pytest.raises(TypeError):
        users_body("ann")
    with pytest.raises(TypeError):
        UsersBody("ann")


class Color(Enum):
    RED = "red"


class State(str, Enum):
    LIVE = "live"


ID = UUID("6f9b6f0e-6f0e-4f0e-8f0e-6f9b6f0e6f0e")


def body(**members: object) -> object:
    sent = send(Registered, "POST", "/x", members).request.body
    return None if sent is None else json.loads(sent)


@pytest.mark.parametrize(
    ("name", "given", "sent"),
    [
        ("activity_id", ID, str(ID)),
        ("activity_type", Color.RED, "red"),
        ("state", State.LIVE, "live"),
        ("sequence", 7, 7),
        ("offset", timedelta(minutes=2), 120),
        ("older_than", 300.0, 300),
        ("ends_at", datetime(2026, 1, 1, tzinfo=timezone.utc), "2026-01-01T00:00:00Z"),
        ("ends_at", 1_767_225_600, "2026-01-01T00:00:00Z"),
        ("deliver_at", 1_767_225_600.5, "2026-01-01T00:00:00.500000Z"),
        ("content", {"content_state": {"id": ID, "state": State.LIVE}}, {"content_state": {"id": str(ID), "state": "live"}}),
        ("options", RawJSON('{"priority":5}'), {"priority": 5}),
        ("enabled", False, False),
    ],
)
def test_other_forms_of_an_argument_are_taken(name: str, given: object, sent: object) -> None:
    assert body(**{name: given}) == {name: sent}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("activity_id", 7),
        ("activity_id", b"id"),
        ("activity_type", ["Order"]),
        ("name", Path("x")),
        ("sequence", True),
        ("sequence", "7"),
        ("sequence", datetime(2026, 1, 1, tzinfo=timezone.utc)),
        ("offset", "30"),
        ("older_than", True),
        ("ends_at", date(2026, 1, 1)),
        ("ends_at", timedelta(hours=2)),
        ("ends_at", True),
        ("content", '{"content_state":{}}'),
        ("content", [("content_state", {})]),
        ("options", "priority"),
        ("enabled", "false"),
        ("stream", 0),
    ],
)
def test_what_has_no_form_is_a_type_error(name: str, given: object) -> None:
    with pytest.raises(TypeError):
        body(**{name: given})


def test_arguments_beside_a_body_have_the_same_forms() -> None:
    assert send(Registered, "POST", "/x", None, key=ID).request.idempotency_key == str(ID)
    assert send(Registered, "POST", "/x", None, sync_patience=timedelta(seconds=3)).sync_patience == 3
    assert segment_of_path(ID) == str(ID) and segment_of_path(State.LIVE) == "live"
    target = get(Registered, "/x", state=State.LIVE, cursor=ID, limit=5, types="a b").request.target
    assert target == f"/x?state=live&cursor={ID}&limit=5&types=a%20b"
    for value in (True, 1.0, ["a"], b"a", datetime(2026, 1, 1, tzinfo=timezone.utc)):
        with pytest.raises(TypeError):
            get(Registered, "/x", state=value)
    with pytest.raises(TypeError):
        send(Registered, "POST", "/x", None, prefers_async="false")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        segment_of_path(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        texts("live_activity.started", "types")
    for url, key in ((7, "k"), ("https://h", b"k"), ("https://h", None)):
        with pytest.raises(TypeError):
            Settings(url, key)  # type: ignore[arg-type]
    assert Settings("https://h", "key\r\n").api_key == "key"


def test_devices_come_as_pairs_or_as_replies_have_them() -> None:
    pair = {"insider_id": "ann", "udid": "phone-1"}
    for devices in ([("ann", "phone-1")], ("ann", "phone-1"), DeviceKey("ann", "phone-1"), pair, [pair], (pair,)):
        assert devices_body(devices) == [pair]
    assert devices_body((("ann", "1"), ("bob", "2"))) == [
        {"insider_id": "ann", "udid": "1"}, {"insider_id": "bob", "udid": "2"}
    ]
    for wrong in ("ann", ["ab"], [("ann", "phone-1", "x")], [("ann", 1)], [{"udid": "x"}], 7):
        with pytest.raises(TypeError):
            devices_body(wrong)  # type: ignore[arg-type]


def test_lines_of_a_text_file_are_users_without_their_ends(tmp_path: Path) -> None:
    file = tmp_path / "users.txt"
    file.write_bytes("\ufeffann\r\n\nbob smith \n\r\ncid".encode())
    with file.open(encoding="utf-8", newline="") as lines:
        assert users_body(lines) == ["ann", "bob smith ", "cid"]
    with file.open(encoding="utf-8") as lines:
        assert b"".join(UsersBody(lines).pieces()) == b'"ann"\n"bob smith "\n"cid"\n'
    assert users_body([ID, "a\nb", ""]) == [str(ID), "a\nb", ""]
    with file.open("rb") as binary, pytest.raises(TypeError):
        users_body(binary)  # type: ignore[arg-type]


def test_what_is_no_list_of_users_is_a_type_error() -> None:
    for wrong in ({"ann": 1}, 7, Path("users.txt"), b"ann"):
        with pytest.raises(TypeError):
            UsersBody(wrong)  # type: ignore[arg-type]
    for users in ([7], [None], [b"ann"]):
        with pytest.raises(TypeError):
            users_body(users)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            list(UsersBody(users).pieces())  # type: ignore[arg-type]


def test_names_are_escaped_in_paths() -> None:
    assert segment_of_path("a/b c?é:~") == "a%2Fb%20c%3F%C3%A9:~"
    assert get(Registered, "/x", state=None, limit=5, cursor="a&b").request.target == "/x?limit=5&cursor=a%26b"
    for name in ("", ".", ".."):
        with pytest.raises(ValueError):
            segment_of_path(name)


def test_what_a_client_is_told_of_the_gateway_is_checked() -> None:
    assert Settings("https://h/fan/", "k").target(get(Registered, "/api").request) == "https://h/fan/api"
    for url, key in (("h", "k"), ("ftp://h", "k"), ("https://h?x=1", "k"), ("https://h", ""), ("https://h", "k k")):
        with pytest.raises(ValueError):
            Settings(url, key)
    assert "secret" not in repr(Settings("https://h", "secret"))


def test_replies_of_newer_gateways_are_read() -> None:
    body = {
        "status": "success", "activity_id": "a", "registered_users": 1, "registered_devices": 2, "partial": False,
        "skipped": {"a_new_reason": 1},
        "gdpr_denied_details": [{"insider_id": "i", "udid": "u", "new": 1}],
        "unprocessed_insider_id_count": 0, "new": {"x": [1]}, "another": None,
    }
    made = read_reply(Registered, body, META)
    assert made.skipped == {"a_new_reason": 1} and made.gdpr_denied_details == (("i", "u"),) and made.meta is META


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"activity_id": 5}, "activity_id"),
        ({"activity_id": None}, "activity_id"),
        ({"registered_users": True}, "registered_users"),
        ({"partial": "no"}, "partial"),
        ({"skipped": {"x": "y"}}, "skipped.x"),
        ({"gdpr_denied_details": [1]}, r"gdpr_denied_details\[0\]"),
    ],
)
def test_replies_of_another_form_are_named(change: dict[str, object], named: str) -> None:
    body: dict[str, object] = {"activity_id": "a", "registered_users": 1, "registered_devices": 1, "partial": False}
    assert read_reply(Registered, body, META).skipped == {}
    with pytest.raises(UnexpectedReply, match=named):
        read_reply(Registered, body | change, META)


def test_what_is_nested_is_read() -> None:
    details = read_reply(
        ActivityDetails,
        {
            "activity_id": "a", "activity_type": "T", "state": "A_NEW_STATE",
            "created_at": "2026-11-21T13:59:06.123456789Z",
            "ends_at": "2026-11-21T14:59:06Z", "users": 1, "devices": 1, "counts": {"active": 1, "asleep": 4},
            "cohorts": {"apns": {"active": 1}}, "started_at": None, "options": {"catch_up": True},
            "time_to_sync": {"within": {"1": 1}, "p50": 1},
            "broadcasts": [{"broadcast_id": "b", "kind": "start", "state": "done", "total": 1, "accepted": 1,
                            "created_at": "2026-11-21T13:59:06Z"}],
        },
        META,
    )
    assert details.created_at == datetime(2026, 11, 21, 13, 59, 6, 123456, timezone.utc)
    assert details.counts.active == 1 and details.cohorts["apns"].active == 1 and details.broadcasts[0].is_final
    assert details.time_to_sync is not None and details.time_to_sync.p50 == 1.0 and details.started_at is None


def test_times_need_a_zone() -> None:
    assert read_time("2026-11-21T14:59:06.1+01:00") == datetime(2026, 11, 21, 13, 59, 6, 100000, timezone.utc)
    for text in ("2026-11-21T14:59:06", "noon", ""):
        with pytest.raises(ValueError):
            read_time(text)


def test_secrets_are_in_no_repr() -> None:
    body = {"id": "w", "url": "u", "enabled": True, "created_at": "2026-11-21T14:59:06Z", "secret": "whsec_x"}
    assert "whsec_x" not in repr(read_reply(CreatedWebhook, body, META))


STREAM = (
    b"\xef\xbb\xbf: hello\r\nid: 7\nevent: progress\ndata: {\"a\":\ndata: 1}\n\n"
    b"data:two\r\rretry: 1500\nretry: x\n\nevent: nothing\n\nid\ndata: Zo\xc3\xab\n\ndata: unfinished"
)
EVENTS = [
    ServerSentEvent("progress", '{"a":\n1}', "7"),
    ServerSentEvent("message", "two", "7"),
    ServerSentEvent("message", "Zoë", ""),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_server_sent_events_come_in_any_pieces(size: int) -> None:
    parser = EventParser()
    pieces = [STREAM[i : i + size] for i in range(0, len(STREAM), size)]
    assert [event for piece in pieces for event in parser.feed(piece)] == EVENTS
    assert parser.retry == 1.5 and parser.last_id == ""


def test_a_line_end_that_is_cut_in_two_is_one_line_end() -> None:
    parser = EventParser()
    assert parser.feed(b"data: a\r") == []
    assert parser.feed(b"\ndata: b\r\n\r") == [ServerSentEvent("message", "a\nb", "")]
    assert parser.feed(b"\n") == []


def test_an_event_without_an_end_is_given_up() -> None:
    parser = EventParser(limit=100)
    with pytest.raises(UnexpectedReply):
        for _ in range(20):
            parser.feed(b"data: aaaa\n")
    with pytest.raises(UnexpectedReply):
        EventParser(limit=100).feed(b"x" * 101)


def test_users_go_out_in_pieces() -> None:
    users = [f"user-{n}" for n in range(20_000)] + ['quote"', "Zoë", "a\nb"]
    pieces = list(UsersBody(users).pieces())
    assert [json.loads(line) for line in b"".join(pieces).splitlines()] == users
    assert len(pieces) > 3 and all(len(piece) < PIECE + 300 for piece in pieces)


def test_what_can_be_gone_through_again_can_be_sent_again() -> None:
    def once() -> Iterator[str]:
        yield "ann"

    listed, iterated = UsersBody(["ann"]), UsersBody(once())
    for body in (listed, iterated):
        assert body.can_repeat
        assert b"".join(body.pieces()) == b'"ann"\n'
    assert b"".join(listed.pieces()) == b'"ann"\n'
    assert listed.can_repeat and not iterated.can_repeat


def test_users_may_come_asynchronously() -> None:
    async def source() -> AsyncIterator[str]:
        for n in range(10_000):
            yield f"user-{n}"

    async def read(body: UsersBody) -> bytes:
        return b"".join([piece async for piece in body.async_pieces()])

    body = UsersBody(source())
    assert asyncio.run(read(body)).count(b"\n") == 10_000 and not body.can_repeat
    assert asyncio.run(read(UsersBody(["ann", "bob"]))) == b'"ann"\n"bob"\n'
    with pytest.raises(TypeError):
        list(UsersBody(source()).pieces())


@pytest.mark.parametrize("user", ["\ud800", None, 5])
def test_a_user_that_is_no_text_stops_the_upload(user: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        list(UsersBody(["ann", user]).pieces())  # type: ignore[list-item]


def test_the_client_for_threads_is_the_one_for_tasks_without_await() -> None:
    tool = Path(__file__).parent.parent / "tools" / "make_sync.py"
    checked = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, timeout=30)
    assert checked.returncode == 0, checked.stdout
