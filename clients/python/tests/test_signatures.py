"""Signatures: what is taken for genuine and what is not, and the example in docs/signatures.md of an identity signature."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from fanfare_client import ForgedWebhook, UnexpectedReply, identity_signature, verify_webhook

SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(range(1, 25))).decode()
BODY = b'{"id":"evt_1","type":"broadcast.finished","timestamp":"2026-11-21T13:18:04.041Z","data":{"total":2}}'
NOW = 1_795_500_000


def signed(secret: str, body: bytes = BODY, timestamp: int = NOW) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, b"evt_1.%d." % timestamp + body, hashlib.sha256).digest()
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": "v1," + base64.b64encode(digest).decode(),
    }


def test_a_genuine_delivery_is_its_event() -> None:
    event = verify_webhook(SECRET, signed(SECRET), BODY, now=NOW)
    assert (event.id, event.type, event.data) == ("evt_1", "broadcast.finished", {"total": 2})


def test_either_secret_counts_while_one_is_rotated() -> None:
    both = signed(SECRET)
    both["Webhook-Signature"] = f"{signed(OTHER)['Webhook-Signature']} {both['Webhook-Signature']} v1a,else"
    for secrets in (SECRET, OTHER, [OTHER, SECRET]):
        assert verify_webhook(secrets, both, BODY, now=NOW).id == "evt_1"
    assert verify_webhook([OTHER, SECRET], signed(SECRET), BODY, now=NOW).id == "evt_1"


@pytest.mark.parametrize(
    "change",
    [
        {"Webhook-Signature": signed(OTHER)["Webhook-Signature"]},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": "v1,"},
        {"Webhook-Signature": signed(SECRET)["Webhook-Signature"].replace("v1,", "v2,")},
        {"Webhook-Signature": "v1,é"},
        {"Webhook-Signature": "v1,\ud800"},
        {"Webhook-Id": "evt_\ud800"},
        {"Webhook-Id": "evt_2"},
        {"Webhook-Timestamp": str(NOW + 1)},
        {"Webhook-Timestamp": "now"},
        {"Webhook-Timestamp": "-5"},
    ],
)
def test_what_is_not_signed_by_the_secret_is_forged(change: dict[str, str]) -> None:
    with pytest.raises(ForgedWebhook):
        verify_webhook(SECRET, signed(SECRET) | change, BODY, now=NOW)


@pytest.mark.parametrize("name", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_what_lacks_a_header_is_forged(name: str) -> None:
    headers = signed(SECRET)
    del headers[name]
    with pytest.raises(ForgedWebhook):
        verify_webhook(SECRET, headers, BODY, now=NOW)


def test_another_body_is_forged() -> None:
    with pytest.raises(ForgedWebhook):
        verify_webhook(SECRET, signed(SECRET), BODY.replace(b"2}", b"3}"), now=NOW)


def test_an_old_delivery_is_not_taken_again() -> None:
    assert verify_webhook(SECRET, signed(SECRET), BODY, now=NOW + 300)
    assert verify_webhook(SECRET, signed(SECRET), BODY, now=NOW - 300)
    for now in (NOW + 301, NOW - 301, float("nan")):
        with pytest.raises(ForgedWebhook):
            verify_webhook(SECRET, signed(SECRET), BODY, now=now)
    assert verify_webhook(SECRET, signed(SECRET), BODY, now=NOW + 900, tolerance=900)


def test_a_genuine_body_that_is_no_event_is_said_to_be_so() -> None:
    for body in (b"no", b"[]", b"{}", b"[" * 100_000):
        with pytest.raises(UnexpectedReply):
            verify_webhook(SECRET, signed(SECRET, body), body, now=NOW)


@pytest.mark.parametrize("secrets", [[], "", "whsec_", "whsec_***", ["whsec_ü"]])
def test_a_secret_that_is_none_is_refused(secrets: str | list[str]) -> None:
    with pytest.raises(ValueError):
        verify_webhook(secrets, signed(SECRET), BODY, now=NOW)


def test_identity_signatures_are_those_of_the_api_guide() -> None:
    secret = "ffi_" + bytes(range(48)).hex()
    assert identity_signature(secret, "ann", "phone-1", now=1_795_500_000 - 60, lifetime=60) == (
        "v2.1795500000.0b9bb6aba7ce4fd059d1992f2dd36028f87cb68e965cb69d0247426114d490c0"
    )
    with pytest.raises(ValueError):
        identity_signature(secret, "", "phone-1", now=0)
