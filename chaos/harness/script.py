"""The provider's bad days: what the mock does with some of the pushes."""

import time

#: How long answers take, as a rule and in the brownout of this name.
LATENCY_MS = {"min_ms": 20, "max_ms": 120}
SLOW, SLOW_LATENCY_MS = "every answer takes 2 to 4 s", {"min_ms": 2000, "max_ms": 4000}
#: Of a connection. Few, so that a broadcast takes seconds and a fault meets it in the middle.
STREAMS = 24


def provider_script(people, is_quiet=False):
    """The mock's script. Single pushes are refused, reset and forgotten, connections are closed and told to go."""
    # The dead tokens are dead from some hour ahead on, so that every report of them is older.
    dead_since = int((time.time() + 3600) * 1000)
    rules = [
        {"tokens": people.dead_tokens(), "status": 410, "reason": "Unregistered", "timestamp": dead_since},
        {"tokens": people.bad_tokens(), "status": 400, "reason": "BadDeviceToken"},
    ]
    script = {
        "latency": LATENCY_MS,
        "stream_limit": {"usual": STREAMS, "before_first_valid_push": 1},
        "rules": rules,
    }
    if is_quiet:
        return script
    rules += [
        {"share": 0.010, "action": "reset", "error_code": 7},
        {"share": 0.005, "status": 503, "reason": "ServiceUnavailable"},
        {"share": 0.003, "status": 500, "reason": "InternalServerError"},
        {"share": 0.002, "status": 429, "reason": "TooManyRequests", "retry_after": 1},
        {"share": 0.001, "action": "silence"},
        {"share": 0.0007, "action": "close_abruptly"},
        {"share": 0.0005, "action": "close", "latency": {"fixed_ms": 50}},
    ]
    script["goaway"] = {"after_streams": 700, "minus": 3, "linger_ms": 300}
    return script


#: What a brownout may be, with what it is called.
_BROWNOUTS = (
    ("503 to everybody", {"status": 503, "reason": "ServiceUnavailable"}),
    ("429 to everybody, Retry-After 2", {"status": 429, "reason": "TooManyRequests", "retry_after": 2}),
    (SLOW, {"action": "accept", "latency": SLOW_LATENCY_MS}),
    ("half of all get 500", {"status": 500, "reason": "InternalServerError", "share": 0.5}),
)
#: Answers of a connection that is sick while all others are well; both come at once.
_SICKNESSES = (
    ("500", {"status": 500, "reason": "InternalServerError"}),
    ("429 TooManyProviderTokenUpdates", {"status": 429, "reason": "TooManyProviderTokenUpdates"}),
)


def brownout(script, draw):
    """What it is called, and the changes to the script."""
    name, rule = _BROWNOUTS[int(draw * len(_BROWNOUTS))]
    if rule.get("action") == "accept":
        # The dead stay dead, only slowly; the other rules' bad days do not matter beside it.
        slow = [each | {"latency": rule["latency"]} for each in script["rules"] if "tokens" in each]
        return name, {"rules": [*slow, rule]}
    return name, {"rules": [rule, *script["rules"]]}


def sick_connection(script, draw, every):
    """One of so many connections answers at once, and wrong."""
    name, rule = _SICKNESSES[int(draw * len(_SICKNESSES))]
    rule = rule | {"connection_every": every, "latency": {"fixed_ms": 0}}
    return f"one connection of {every} answers {name} at once", {"rules": [rule, *script["rules"]]}


def silence(script):
    """Every push is taken, and none is answered."""
    return {"rules": [{"action": "silence"}, *script["rules"]]}
