"""Made-up evidence: an activity of three devices that went well, for tests to spoil."""

from harness.evidence import Evidence, Record
from harness.journal import Activity, Attempt, Call, Sync
from harness.ledger import Push

ACTIVITY = "00000000-0000-4000-8000-0000000000a1"
START = "11111111-1111-4111-8111-111111111111"
UPDATE = "22222222-2222-4222-8222-222222222222"
END = "33333333-3333-4333-8333-333333333333"
#: Starts that gateways began of themselves, with the content of the first one's call.
LATER = "44444444-4444-4444-8444-444444444444"
LAST = "55555555-5555-4555-8555-555555555555"
_KINDS = {START: "start", LATER: "start", LAST: "start", UPDATE: "update", END: "end"}
_CALLS = {START: 1, LATER: 1, LAST: 1, UPDATE: 2, END: 3}
_STAMPS = {START: 1000, LATER: 1000, LAST: 1000, UPDATE: 1001, END: 1002}


def start_token(device):
    return f"aa{device:02x}"


def live_activity_token(device):
    return f"bb{device:02x}"


def push(broadcast, device, status=200, time=None, line=1, **more):
    kind = _KINDS[broadcast]
    values = {
        "time": time if time is not None else float(_STAMPS[broadcast]), "event": kind,
        "token": start_token(device) if kind == "start" else live_activity_token(device),
        "timestamp": _STAMPS[broadcast], "activity": 7, "call": _CALLS[broadcast], "status": status,
        "reason": {410: "Unregistered", 503: "ServiceUnavailable"}.get(status), "broadcast": broadcast[:28],
        "line": line}
    values |= more
    aps = {"event": kind, "timestamp": values["timestamp"],
           "content-state": {"activity": values["activity"], "call": values["call"], "text": "x"}}
    if kind == "start":
        aps |= {"attributes-type": "MatchAttributes", "attributes": {"match": values["activity"]}}
    return Push(**{"aps": aps} | values)


def attempt(status=200, broadcast=None, code=None, sent_at=1000.0, sessions=3, gateway=0):
    return Attempt(gateway, sent_at, sent_at + 0.5, status, code, broadcast, sessions)


def call(broadcast, **more):
    values = {"attempts": [attempt(broadcast=broadcast, sent_at=float(_STAMPS[broadcast]))]}
    return Call(_CALLS[broadcast], _KINDS[broadcast], ACTIVITY, **values | more)


def record(broadcast, **more):
    values = {"state": "done", "accepted": 3, "created_at": float(_STAMPS[broadcast]),
              "finished_at": _STAMPS[broadcast] + 0.4, "timestamp": _STAMPS[broadcast]}
    return Record(broadcast, ACTIVITY, _KINDS[broadcast], **values | more)


def sync(device, acknowledged_at=1000.8):
    return Sync(ACTIVITY, device, live_activity_token(device), 1000.7, acknowledged_at, "200")


def evidence(**more):
    """Start, three syncs, update, end; all accepted."""
    broadcasts = (START, UPDATE, END)
    values = {
        "activities": {ACTIVITY: Activity(ACTIVITY, 7, [0, 1, 2], [0, 1, 2], 3, 3)},
        "calls": [call(each) for each in broadcasts],
        "syncs": [sync(device) for device in range(3)],
        "records": {each: record(each) for each in broadcasts},
        "pushes": [push(each, device) for each in broadcasts for device in range(3)],
        "faults": [], "start_locks": {ACTIVITY: START}, "start_token": start_token}
    return Evidence(**values | more)
