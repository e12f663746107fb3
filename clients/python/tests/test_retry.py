"""When a request is sent again: the rules, without a clock or a network."""

from __future__ import annotations

import json
from typing import TypeVar

import pytest

from fanfare_client import ApiError, ConnectionFailed, DeviceNotSynced, NotFound, RateLimited, RetryPolicy, Unavailable
from fanfare_client.answer import Answer
from fanfare_client.exchange import Done, Exchange, Failed, Pause
from fanfare_client.replies.broadcasts import BroadcastReply
from fanfare_client.replies.reading import Meta
from fanfare_client.replies.users import Success
from fanfare_client.request import Call, delete, get, send

T = TypeVar("T")
POLICY = RetryPolicy(attempts=4, deadline=60, attempt_timeout=20, first_pause=1, longest_pause=4)


def answer(status: int, code: str = "", retry_after: str | None = None, **members: object) -> Answer:
    headers = {"x-request-id": "r-1"} | ({} if retry_after is None else {"retry-after": retry_after})
    body = {"error": "no", "code": code, **members} if code else {"status": "success", **members}
    return Answer(status, headers, json.dumps(body).encode())


def begun(call: Call[T], deadline: float | None = None) -> Exchange[T]:
    return Exchange(call, POLICY, now=100, key="fresh", request_id="r-0", deadline=deadline)


def start(key: str | None = None, patience: float | None = None) -> Call[BroadcastReply]:
    return send(BroadcastReply, "POST", "/start", {"a": 1}, keyed=True, key=key, sync_patience=patience)


def test_the_pause_doubles_up_to_its_longest_and_is_drawn_from_zero_on() -> None:
    assert [POLICY.backoff(n, 1.0) for n in (1, 2, 3, 4, 500)] == [1, 2, 4, 4, 4]
    assert POLICY.backoff(3, 0.0) == 0 and POLICY.backoff(3, 0.5) == 2


def test_retry_after_is_kept_to_in_full() -> None:
    assert POLICY.pause(1, 0, 7, 0.0) == 7
    assert POLICY.pause(1, 0, 7, 0.5) == 7.5


@pytest.mark.parametrize(
    ("retry_after", "date", "seconds"),
    [
        ("Sat, 28 Nov 2026 12:00:07 GMT", "Sat, 28 Nov 2026 12:00:00 GMT", 7),
        ("Saturday, 28-Nov-26 12:00:07 GMT", "Sat, 28 Nov 2026 12:00:00 GMT", 7),
        ("Sat, 28 Nov 2026 11:59:00 GMT", "Sat, 28 Nov 2026 12:00:00 GMT", 0),
        ("Fri, 28 Nov 1997 11:59:00 GMT", None, 0),
        ("soon", "Sat, 28 Nov 2026 12:00:00 GMT", None),
        ("-1", None, None),
        ("", None, None),
    ],
)
def test_retry_after_may_be_a_date(retry_after: str, date: str | None, seconds: float | None) -> None:
    headers = {"retry-after": retry_after} | ({} if date is None else {"date": date})
    assert Answer(503, headers, b"").refusal().retry_after == seconds


def test_no_pause_is_begun_that_would_end_after_the_deadline() -> None:
    assert POLICY.pause(1, 52, 7, 0.5) == 7.5
    assert POLICY.pause(1, 53, 7, 0.5) is None


def test_attempts_are_counted() -> None:
    assert POLICY.pause(3, 0, None, 0.5) is not None
    assert POLICY.pause(4, 0, None, 0.5) is None


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_passes_by_itself_is_sent_again_with_the_same_key(status: int) -> None:
    exchange = begun(start())
    first = exchange.request
    exchange.attempt(100)
    assert exchange.answered(answer(status, "X", "2"), now=101, draw=0.5) == Pause(2.5)
    exchange.attempt(104)
    assert exchange.request == first and first.idempotency_key == "fresh"
    done = exchange.answered(answer(200, sessions_triggered=3), now=105, draw=0.5)
    assert isinstance(done, Done) and done.value == BroadcastReply(
        sessions_triggered=3, meta=Meta(200, "", False, None)
    )


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 500, 501])
def test_what_does_not_pass_is_raised_at_once(status: int) -> None:
    exchange = begun(start())
    exchange.attempt(100)
    failed = exchange.answered(answer(status, "SOMETHING"), now=101, draw=0.5)
    assert isinstance(failed, Failed) and isinstance(failed.error, ApiError) and failed.error.attempts == 1


def test_the_last_refusal_is_raised_with_the_key() -> None:
    exchange = begun(start(key="mine"))
    for _ in range(3):
        exchange.attempt(100)
        assert isinstance(exchange.answered(answer(503, "OVERLOADED"), now=101, draw=0), Pause)
    exchange.attempt(100)
    failed = exchange.answered(answer(503, "OVERLOADED", "3"), now=101, draw=0)
    assert isinstance(failed, Failed) and isinstance(failed.error, Unavailable)
    error = failed.error
    assert (error.code, error.attempts, error.idempotency_key, error.retry_after) == ("OVERLOADED", 4, "mine", 3)


def test_devices_that_have_not_synced_are_waited_for_only_when_asked() -> None:
    refusal = answer(409, "DEVICE_NOT_SYNCED", "5")
    exchange = begun(start())
    exchange.attempt(100)
    failed = exchange.answered(refusal, now=101, draw=0)
    assert isinstance(failed, Failed) and isinstance(failed.error, DeviceNotSynced)
    patient = begun(start(patience=100))
    for n in range(10):
        patient.attempt(100 + 6 * n)
        assert patient.answered(refusal, now=101 + 6 * n, draw=0) == Pause(5)
    assert isinstance(patient.answered(refusal, now=196, draw=0), Failed)


def test_a_lost_answer_to_a_deletion_and_nothing_there_means_done() -> None:
    exchange = begun(delete(Success, "/x", lambda meta: Success(meta=meta)))
    exchange.attempt(100)
    assert isinstance(exchange.broke("reset", now=100, draw=0, sent=True), Pause)
    assert isinstance(exchange.answered(answer(404, "NOT_FOUND"), now=100, draw=0), Done)


@pytest.mark.parametrize("before", ["nothing", "never sent", "429"])
def test_nothing_there_is_an_error_when_no_attempt_can_have_deleted_it(before: str) -> None:
    exchange = begun(delete(Success, "/x", lambda meta: Success(meta=meta)))
    exchange.attempt(100)
    if before == "never sent":
        exchange.broke("refused", now=100, draw=0, sent=False)
    if before == "429":
        exchange.answered(answer(429, "RATE_LIMITED"), now=100, draw=0)
    failed = exchange.answered(answer(404, "NOT_FOUND"), now=100, draw=0)
    assert isinstance(failed, Failed) and isinstance(failed.error, NotFound)


def test_a_body_that_is_gone_is_not_sent_again() -> None:
    exchange = begun(start())
    exchange.attempt(100)
    refused = exchange.answered(answer(429, "RATE_LIMITED", "1"), now=100, draw=0, can_repeat=False)
    assert isinstance(refused, Failed) and isinstance(refused.error, RateLimited)
    broken = exchange.broke("reset", now=100, draw=0, passes=False)
    assert isinstance(broken, Failed) and isinstance(broken.error, ConnectionFailed)


def test_an_attempt_takes_no_longer_than_what_is_left() -> None:
    exchange = begun(get(Success, "/x"))
    assert exchange.attempt(100) == 20
    assert exchange.attempt(155) == 5
    assert begun(get(Success, "/x"), deadline=3).attempt(100) == 3


def test_a_page_of_a_proxy_is_a_refusal_too() -> None:
    exchange = begun(get(Success, "/x"))
    exchange.attempt(100)
    failed = exchange.answered(Answer(500, {}, b"<html>"), now=100, draw=0)
    assert isinstance(failed, Failed) and isinstance(failed.error, ApiError) and failed.error.code == "HTTP_500"


@pytest.mark.parametrize("key", ["", "two words", "ü", "x" * 256])
def test_a_key_that_the_gateway_would_refuse_is_refused_here(key: str) -> None:
    with pytest.raises(ValueError):
        start(key=key)
