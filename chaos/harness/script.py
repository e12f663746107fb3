"""The provider's bad days: what the mock does with some of the pushes."""

import time


def provider_script(people, is_quiet=False):
    """The mock's script. Single pushes are refused, reset and forgotten, connections are closed and told to go."""
    # The dead tokens are dead from some hour ahead on, so that every report of them is older.
    dead_since = int((time.time() + 3600) * 1000)
    rules = [
        {"tokens": people.dead_tokens(), "status": 410, "reason": "Unregistered", "timestamp": dead_since},
        {"tokens": people.bad_tokens(), "status": 400, "reason": "BadDeviceToken"},
    ]
    script = {
        "latency": {"min_ms": 20, "max_ms": 120},
        # Few streams, so that a broadcast takes seconds and a fault meets it in the middle.
        "stream_limit": {"usual": 24, "before_first_valid_push": 1},
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
