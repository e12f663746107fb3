"""What the mocks of the providers have received."""

import base64
import json


def payloads(mock, mark):
    """The bodies of the pushes with this text in them that a mock, of either provider, has accepted."""
    bodies = (base64.b64decode(line.get("payload") or line.get("body") or "") for line in mock.ledger() if line.get("status") == 200)
    return [body for body in bodies if mark.encode() in body]


def accepted(mock, mark):
    """How many these are, by event."""
    counts = {}
    for body in payloads(mock, mark):
        event = _event(json.loads(body))
        counts[event] = counts.get(event, 0) + 1
    return counts


def _event(payload):
    if "aps" in payload:
        return payload["aps"]["event"]
    return payload["message"]["data"]["live_activity_event"]
