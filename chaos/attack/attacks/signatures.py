"""Identity signatures of others: replayed for another user, of another tenant, made with what Redis holds, missing."""

import hashlib
import hmac
import time

from attack.neighbour import signature, signature_of_device
from attack.wire import ask
from harness.resp import Redis

from .devices import report

NAME = "signatures"
TITLE = "signatures missing, of another user, of another tenant, made with what is stored"


def prepare(siege):
    return [siege.tenant("signed", signature_version=1), siege.tenant("other", signature_version=1),
            siege.tenant("second", signature_version=2) if siege.scene.knows("tenant create", "--signature-version") else None]


def play(siege, state):
    signed, other, second = state
    own = signature(signed["identity_secret"], "ann")
    # Of a key that is longer than a block HMAC takes the SHA-256, so that is the signing key as well: it must not be in Redis.
    digest = hashlib.sha256(signed["identity_secret"].encode()).hexdigest()
    cases = (
        ("the user's own", "ann", own, (200,)),
        ("none", "ann", None, (401,)),
        ("empty", "ann", "", (401,)),
        ("the user's own in capitals, with a tail", "ann", own.upper() + "00", (401,)),
        ("half of the user's own", "ann", own[:32], (401,)),
        ("another user's", "bob", own, (401,)),
        ("the user's own at another tenant", "ann", signature(other["identity_secret"], "ann"), (401,)),
        ("made with the SHA-256 of the secret in hexadecimal", "ann",
         signature(digest, "ann"), (401,)),
        ("made with the SDK key", "ann", signature(signed["sdk_key"], "ann"), (401,)),
    )
    for what, user, value, statuses in cases:
        _try(siege, signed, what, user, "phone", value, statuses)
    if second:
        for what, user, device, value, statuses in of_devices(second, other, int(time.time())):
            _try(siege, second, f"of version 2, {what}", user, device, value, statuses)
    siege.check("what is stored is not the signing key", not _finds_key(siege, signed), "read from Redis")
    count = siege.size(3_000, 300)
    answers = siege.flood([{"method": "PUT", "path": "/api/v1/sdk/device", "headers": {
        "X-Sdk-Key": signed["sdk_key"], "X-Identity-Signature": own}, "body": report("bob-@@", "phone-@@")}], count)
    siege.check("none of many is taken", set(answers) == {"401 UNAUTHORIZED"}, dict(answers))


def of_devices(tenant, other, now):
    """Signatures of version 2 of ann's phone, and what becomes of each: (what, user, device, value, statuses)."""
    secret, soon = tenant["identity_secret"], now + 3_600
    right = signature_of_device(secret, "ann", "phone", soon)
    digits = right.rsplit(".", 1)[1]
    yield "the device's own", "ann", "phone", right, (200,)
    yield "replayed for another device", "ann", "other-phone", right, (401,)
    yield "replayed for another user", "bob", "phone", right, (401,)
    yield "of another tenant", "ann", "phone", signature_of_device(other["identity_secret"], "ann", "phone", soon), (401,)
    yield "expired", "ann", "phone", signature_of_device(secret, "ann", "phone", now - 1), (401,)
    yield "with a later expiry put in", "ann", "phone", f"v2.{soon + 60}.{digits}", (401,)
    yield "with an expiry in other digits", "ann", "phone", f"v2.0{soon}.{digits}", (401,)
    yield "with a sign in the expiry", "ann", "phone", f"v2.+{soon}.{digits}", (401,)
    yield "for longer than there may be", "ann", "phone", signature_of_device(secret, "ann", "phone", now + 400 * 86_400), (401,)
    yield "cut differently into user and device", "an", "nphone", right, (401,)
    yield "without its expiry", "ann", "phone", f"v2.{digits}", (401,)
    yield "without its version", "ann", "phone", f"{soon}.{digits}", (401,)
    yield "twice", "ann", "phone", f"{right}, {right}", (401,)
    yield "in the place of version 1", "ann", "phone", digits, (401,)
    yield "of version 1", "ann", "phone", signature(secret, "ann"), (401,)
    # A user may be called what version 2 signs: of version 1 that must be another text.
    text = f"v2.{soon}.3:ann.5:phone"
    yield "made of version 1 for a user of that name", "ann", "phone", f"v2.{soon}.{signature(secret, text)}", (401,)


def _try(siege, tenant, what, user, device, value, statuses):
    headers = {"X-Sdk-Key": tenant["sdk_key"]} | ({} if value is None else {"X-Identity-Signature": value})
    answer = ask(siege.ports[0], "PUT", "/api/v1/sdk/device", headers, report(user, device))
    siege.count(answer)
    siege.check(f"a signature that is {what}: {' or '.join(map(str, statuses))}",
                answer is not None and answer.status in statuses, answer)


def _finds_key(siege, signed):
    """Whether something in Redis, as it stands there, signs as the tenant does: every value, whole and in pieces of a
    digest's length, by itself and for what hexadecimal digits stand for."""
    wanted = signature(signed["identity_secret"], "ann")
    candidates = set()
    with Redis(siege.scene.redis.ports[0]) as redis:
        for key in redis.keys("*"):
            kind = redis.text("TYPE", key)
            if kind == "hash":
                candidates |= {bytes(value) for value in redis.fields(key).values()}
            elif kind == "string" and redis.call("STRLEN", key) < 10_000:
                candidates.add(redis.call("GET", key) or b"")
    for value in candidates:
        pieces = [value] + [value[at:at + size] for size in (32, 64) for at in range(min(256, len(value) - size + 1))]
        for piece in pieces:
            for key in {piece, _unhex(piece)}:
                for message in (b"ann", hashlib.sha256(b"ann").digest()):
                    if key and hmac.new(key, message, hashlib.sha256).hexdigest() == wanted:
                        return True
    return False


def _unhex(piece):
    try:
        return bytes.fromhex(piece.decode())
    except ValueError:
        return b""
