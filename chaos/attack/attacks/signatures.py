"""Identity signatures of others: replayed for another user, of another tenant, made with what Redis holds, missing."""

import hashlib
import hmac

from attack.neighbour import signature
from attack.wire import ask

from .devices import report

NAME = "signatures"
TITLE = "signatures missing, of another user, of another tenant, made with what is stored"


def prepare(siege):
    return siege.tenant("signed", signs=True), siege.tenant("other", signs=True)


def play(siege, state):
    signed, other = state
    own = signature(signed["identity_secret"], "ann")
    stored = hashlib.sha256(signed["identity_secret"].encode()).digest()
    cases = (
        ("the user's own", "ann", own, (200,)),
        ("none", "ann", None, (401,)),
        ("empty", "ann", "", (401,)),
        ("the user's own in capitals, with a tail", "ann", own.upper() + "00", (401,)),
        ("half of the user's own", "ann", own[:32], (401,)),
        ("another user's", "bob", own, (401,)),
        ("the user's own at another tenant", "ann", signature(other["identity_secret"], "ann"), (401,)),
        ("made with the SHA-256 of the secret", "ann", hmac.new(stored, b"ann", hashlib.sha256).hexdigest(), (401,)),
        ("made with the SHA-256 of the secret in hexadecimal", "ann",
         hmac.new(stored.hex().encode(), b"ann", hashlib.sha256).hexdigest(), (401,)),
        ("made with the SDK key", "ann", signature(signed["sdk_key"], "ann"), (401,)),
    )
    for what, user, value, statuses in cases:
        headers = {"X-Sdk-Key": signed["sdk_key"]} | ({} if value is None else {"X-Identity-Signature": value})
        answer = ask(siege.ports[0], "PUT", "/api/v1/sdk/device", headers, report(user, "phone"))
        siege.count(answer)
        siege.check(f"a signature that is {what}: {' or '.join(map(str, statuses))}",
                    answer is not None and answer.status in statuses, answer)
    siege.check("what is stored is not the signing key", not _finds_key(siege, signed, stored), "read from Redis")
    count = siege.size(3_000, 300)
    answers = siege.flood([{"method": "PUT", "path": "/api/v1/sdk/device", "headers": {
        "X-Sdk-Key": signed["sdk_key"], "X-Identity-Signature": own}, "body": report("bob-@@", "phone-@@")}], count)
    siege.check("none of many is taken", set(answers) == {"401 UNAUTHORIZED"}, dict(answers))


def _finds_key(siege, signed, digest):
    """Whether something in Redis, as it stands there, signs as the tenant does: the secret, or its digest if it is the
    key. Every value that names the tenant's secret is tried, whole and in pieces of a digest's length."""
    from harness.resp import Redis
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
    del digest
    return False


def _unhex(piece):
    try:
        return bytes.fromhex(piece.decode())
    except ValueError:
        return b""
