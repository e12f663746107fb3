"""The signatures of a customer's server: it verifies those of webhooks and creates those of its apps.

The functions are pure. The current time in epoch seconds is an argument.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping

from .arguments import Seconds, Text, seconds, text, texts
from .errors import FanfareError, UnexpectedReply
from .replies.events import Event
from .replies.reading import read_value

TOLERANCE = 300.0
"""The maximum difference in seconds between a delivery's timestamp and now."""


class ForgedWebhook(FanfareError):
    """A delivery without a valid signature of the gateway. Answer 400 and ignore it."""


def verify_webhook(
    secrets: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes | bytearray | memoryview,
    *,
    now: float,
    tolerance: float = TOLERANCE,
) -> Event:
    """Verifies a delivery (Standard Webhooks) and returns its event.

    - secrets: the webhook's secret (`whsec_…`), or several during a rotation.
    - headers: the headers of the request. The case of their names does not matter.
    - body: the received bytes, not decoded.
    - now: epoch seconds, for example `time.time()`.
    - tolerance: the maximum difference in seconds between the delivery's timestamp and `now`.

    The gateway may deliver an event twice, with the same `event.id`.

    Raises ForgedWebhook if no secret signed the delivery, or if its timestamp is out of tolerance, which prevents
    replays. Raises UnexpectedReply if a genuine body is not an event. Raises ValueError for an invalid secret.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError(f"body is the bytes as they came, not {type(body).__name__}")
    if not isinstance(headers, Mapping):
        raise TypeError(f"headers are a mapping, not {type(headers).__name__}")
    keys = [_webhook_key(secret) for secret in ([secrets] if isinstance(secrets, str) else texts(secrets, "secrets"))]
    if not keys:
        raise ValueError("there must be a secret to verify with")
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp = given["webhook-id"], given["webhook-timestamp"]
        signatures = given["webhook-signature"].split(" ")
    except KeyError as missing:
        raise ForgedWebhook(f"the delivery has no {missing.args[0]}") from None
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise ForgedWebhook("webhook-timestamp is no number of seconds")
    try:
        message = f"{message_id}.{timestamp}.".encode("utf-8", "surrogateescape") + bytes(body)
        presented = [s[3:].encode("utf-8", "surrogateescape") for s in signatures[:64] if s.startswith("v1,")]
    except UnicodeEncodeError:
        raise ForgedWebhook("a header of the delivery is no text") from None
    expected = [base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()) for key in keys]
    matches = [hmac.compare_digest(e, p) for e in expected for p in presented]
    if not any(matches):
        raise ForgedWebhook("no signature is by a secret of the webhook")
    if not abs(now - int(timestamp)) <= tolerance:
        raise ForgedWebhook("the delivery was signed at another time")
    try:
        value = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise UnexpectedReply("the body of a delivery is no JSON") from None
    return read_value(Event, {"id": message_id, **value} if isinstance(value, dict) else value)


def identity_signature(
    secret: str, insider_id: Text, udid: Text, *, now: float, lifetime: Seconds = 86_400
) -> str:
    """Returns the `X-Identity-Signature` with which a user's device may report for `lifetime` seconds.

    Call this on the app's own server, which knows the signed-in user. The secret (`identity_secret` of
    `fanfare tenant create`) must never leave that server. The gateway accepts a lifetime of at most 30 days.
    Raises ValueError for an empty insider_id or udid.
    """
    user, device = text(insider_id, "insider_id").encode(), text(udid, "udid").encode()
    expiry = int(seconds(now, "now") + seconds(lifetime, "lifetime"))
    key = text(secret, "secret").encode()
    if not user or not device:
        raise ValueError("a signature is for a user and a device")
    message = b"\xffv2.%d.%d:%b.%d:%b" % (expiry, len(user), user, len(device), device)
    return f"v2.{expiry}.{hmac.new(key, message, hashlib.sha256).hexdigest()}"


def _webhook_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a webhook's secret is whsec_ and Base64")
    return key
