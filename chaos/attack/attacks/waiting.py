"""The provider is down, and one tenant has as many starts wait as may."""

import concurrent.futures
import datetime
import time

from attack.siege import QUICK_SETTINGS
from attack.wire import Wire, ask
from harness.failure import ChaosFailure

NAME = "waiting"
TITLE = "as many starts as may wait by one tenant while the provider is down"
_TYPE = "WaitingAttributes"
#: What is shipped as `broadcast.max_waiting`.
_MAX_WAITING = 1_000
_CALLERS = 4


def _calls(siege, tenant, path, bodies):
    """One call for each body, by a few callers at once. In small by one: gateways hear of each other's now and then, and
    what they have taken meanwhile counts for more where there is less."""
    callers = siege.size(_CALLERS, 1)

    def part(index):
        with Wire(siege.ports[index % 2], "127.0.0.66", timeout=30) as wire:
            return [wire.call("POST", f"/api/v1/live-activity/{path}", {"X-Api-Key": tenant["api_key"], "Prefer": "respond-async"}, body)
                    for body in bodies[index::callers]]

    with concurrent.futures.ThreadPoolExecutor(callers) as pool:
        return [answer for answers in pool.map(part, range(callers)) for answer in answers]


def prepare(siege):
    """A tenant with one phone that is in many activities."""
    raider, user = siege.tenant("raider"), {"insider_id": "one", "udid": "one"}
    app = {"X-Sdk-Key": raider["sdk_key"]}
    ask(siege.ports[0], "PUT", "/api/v1/sdk/device", app, user | {
        "platform": "ios", "os_version": "17.5", "push_opt_in": True, "gdpr_consent": True, "environment": "production"})
    ask(siege.ports[0], "PUT", "/api/v1/sdk/push-to-start-token", app, user | {"token": "cd" * 32})
    ends_at = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    count = siege.size(_MAX_WAITING, QUICK_SETTINGS["broadcast.max_waiting"]) + 20
    answers = _calls(siege, raider, "register", [{"activity_type": _TYPE, "insider_ids": ["one"], "ends_at": ends_at}] * count)
    if not all(answer and answer.status == 200 for answer in answers):
        raise ChaosFailure(f"the activities of this attack were not registered: {answers[-1]}")
    return raider, [answer.object["activity_id"] for answer in answers]


def play(siege, state):
    raider, activities = state
    siege.scene.provider.behave({"rules": [{"status": 503, "reason": "ServiceUnavailable"}]})
    try:
        content = {"title": "t", "message": "m", "content_state": {}, "attributes": {}}
        for answer in _calls(siege, raider, "start", [
                {"activity_id": activity, "activity_type": _TYPE, "content": content} for activity in activities]):
            siege.count(answer)
        time.sleep(siege.size(8, 1))
    finally:
        siege.scene.provider.behave()
    taken = siege.result.answers["202"]
    siege.check("the tenant itself has starts that wait, and not all that there may be", 0 < taken < len(activities) - 20,
                dict(siege.result.answers))
    begin = time.monotonic()
    siege.check("all that waited is carried out when the provider is back", _is_done(siege, raider, activities),
                f"{time.monotonic() - begin:.1f} s")


def _is_done(siege, raider, activities):
    customer, deadline = {"X-Api-Key": raider["api_key"]}, time.monotonic() + 60
    for activity in activities[::max(1, len(activities) // 50)]:
        while True:
            answer = ask(siege.ports[0], "GET", f"/api/v1/live-activity/{activity}", customer)
            states = {each["state"] for each in (answer.object.get("broadcasts") or [])} if answer else {"queued"}
            if not states & {"queued", "running", "paused"}:
                break
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
    return True
