"""A tenant that asks for what is another one's, and takes the time that each answer takes."""

import datetime
import statistics
import time
import uuid

from attack import bounds
from attack.wire import Wire, ask
from harness.failure import ChaosFailure

NAME = "strangers"
TITLE = "a tenant reads another one's ids, and the clock"
_TYPE = "NeighbourAttributes"


def prepare(siege):
    """What is the neighbour's, each as a template of a call and the name that stands in it."""
    customer = {"X-Api-Key": siege.scene.neighbour["api_key"]}
    port = siege.ports[0]
    ask(port, "PUT", "/api/v1/segments/secret", customer | {"Content-Type": "text/csv"}, "ann\n")
    ask(port, "PUT", "/api/v1/topics/secret", customer, {"activity_type": _TYPE, "state": "upcoming"})
    webhook = ask(port, "POST", "/api/v1/webhooks", customer, {"url": "https://example.com/hook"})
    soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    deadline, registered = time.monotonic() + 10, None
    while not (registered and registered.status == 200):
        if time.monotonic() > deadline:
            raise ChaosFailure(f"the neighbour could not register: {registered}")
        registered = ask(port, "POST", "/api/v1/live-activity/register", customer, {
            "activity_type": _TYPE, "insider_ids": [f"neighbour-0-{index}" for index in range(2)], "ends_at": soon})
    started = ask(port, "POST", "/api/v1/live-activity/start", customer, {
        "activity_id": registered.object["activity_id"], "activity_type": _TYPE,
        "content": {"title": "t", "message": "secret", "content_state": {}, "attributes": {}}})
    return siege.tenant("stranger"), {
        "activity": registered.object["activity_id"], "broadcast": started.object.get("broadcast_id"),
        "webhook": webhook.object.get("id"), "segment": "secret", "topic": "secret"}


def calls(kind, name):
    """What a stranger may try with a name that it has come to know."""
    activity = {"activity_id": name, "activity_type": _TYPE}
    content = {"content": {"title": "t", "message": "m", "content_state": {}}}
    live = "/api/v1/live-activity"
    return {
        "activity": [("GET", f"{live}/{name}", None), ("GET", f"{live}/{name}/devices", None),
                     ("GET", f"{live}/schedule?activity_id={name}", None),
                     ("POST", f"{live}/start", activity | content), ("POST", f"{live}/update", activity | content),
                     ("POST", f"{live}/end", activity), ("POST", f"{live}/add-users", activity | {"insider_ids": ["ann"]})],
        "broadcast": [("GET", f"{live}/broadcasts/{name}", None), ("GET", f"{live}/broadcasts/{name}/events", None)],
        "webhook": [("GET", f"/api/v1/webhooks/{name}", None), ("POST", f"/api/v1/webhooks/{name}/rotate-secret", None),
                    ("DELETE", f"/api/v1/webhooks/{name}", None)],
        "segment": [("GET", f"/api/v1/segments/{name}", None), ("DELETE", f"/api/v1/segments/{name}", None)],
        "topic": [("GET", f"/api/v1/topics/{name}", None), ("GET", f"/api/v1/topics/{name}/followers", None)],
    }[kind]


def play(siege, state):
    stranger, theirs = state
    headers = {"X-Api-Key": stranger["api_key"]}
    for kind, name in theirs.items():
        nothing = str(uuid.UUID(int=siege.random.getrandbits(128), version=4)) if "-" in str(name) else "nothing"
        for (method, path, body), (_, other_path, other_body) in zip(calls(kind, name), calls(kind, nothing)):
            real = ask(siege.ports[0], method, path, headers, body)
            absent = ask(siege.ports[0], method, other_path, headers, other_body)
            siege.count(real)
            same = real is not None and absent is not None and real.status == absent.status and (
                real.body.replace(str(name).encode(), b"?") == absent.body.replace(nothing.encode(), b"?"))
            siege.check(f"{method} of another tenant's {kind} is answered as what is not there:"
                        f" {path.replace(str(name), 'ID')}", same, f"{real} and {absent}")
    _timing(siege, headers, theirs["activity"])
    customer = {"X-Api-Key": siege.scene.neighbour["api_key"]}
    answer = ask(siege.ports[0], "GET", f"/api/v1/live-activity/{theirs['activity']}", customer)
    siege.check("what the stranger tried has changed nothing", answer and answer.object.get("state") == "STARTED", answer)


def _timing(siege, headers, activity):
    """The two by turns, so that both have the same company."""
    paths = {True: f"/api/v1/live-activity/{activity}", False: f"/api/v1/live-activity/{uuid.UUID(int=7, version=4)}"}
    seconds = {True: [], False: []}
    with Wire(siege.ports[0]) as wire:
        for _ in range(siege.size(200, 40)):
            for exists, path in paths.items():
                begin = time.monotonic()
                wire.call("GET", path, headers)
                seconds[exists].append(time.monotonic() - begin)
    real, absent = (statistics.median(seconds[exists]) for exists in (True, False))
    limit = max(absent * bounds.STRANGER_FACTOR, absent + bounds.STRANGER_FLOOR)
    siege.check("another tenant's takes no longer than what is not there", real <= limit,
                f"{real * 1000:.2f} ms and {absent * 1000:.2f} ms", is_timed=True)
