"""The provider is down, and one tenant has as many starts wait as may."""

import datetime
import json
import time

from attack.scene import MAX_WAITING
from attack.wire import ask

NAME = "waiting"
TITLE = "as many starts as may wait by one tenant while the provider is down"
_TYPE = "WaitingAttributes"


def _register(tenant, insider_ids):
    ends_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    return {"method": "POST", "path": "/api/v1/live-activity/register", "headers": {"X-Api-Key": tenant["api_key"]},
            "body": json.dumps({"activity_type": _TYPE, "insider_ids": insider_ids,
                                "ends_at": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")})}


def _call(siege, template):
    return ask(siege.ports[0], template["method"], template["path"], template["headers"], template["body"])


def prepare(siege):
    """A tenant with one phone that is in many activities."""
    raider = siege.tenant("raider")
    app = {"X-Sdk-Key": raider["sdk_key"]}
    ask(siege.ports[0], "PUT", "/api/v1/sdk/device", app, {
        "insider_id": "one", "udid": "one", "platform": "ios", "os_version": "17.5", "push_opt_in": True,
        "gdpr_consent": True, "environment": "production"})
    ask(siege.ports[0], "PUT", "/api/v1/sdk/push-to-start-token", app,
        {"insider_id": "one", "udid": "one", "token": "cd" * 32})
    activities = [_call(siege, _register(raider, ["one"])).object.get("activity_id") for _ in range(MAX_WAITING + 20)]
    return raider, activities


def play(siege, state):
    raider, activities = state
    siege.scene.provider.behave({"rules": [{"status": 503, "reason": "ServiceUnavailable"}]})
    try:
        for activity in activities:
            siege.count(ask(siege.ports[0], "POST", "/api/v1/live-activity/start", {
                "X-Api-Key": raider["api_key"], "Prefer": "respond-async"}, {
                    "activity_id": activity, "activity_type": _TYPE,
                    "content": {"title": "t", "message": "m", "content_state": {}, "attributes": {}}}, source="127.0.0.66"))
        time.sleep(siege.size(10, 3))
    finally:
        siege.scene.provider.behave()
    taken = siege.result.answers["202"]
    siege.check("the tenant itself has starts that wait", taken > 0, dict(siege.result.answers))
    siege.check("all that waited is carried out when the provider is back", _is_done(siege, raider), "30 s")


def _is_done(siege, raider):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        listing = ask(siege.ports[0], "GET", "/api/v1/live-activity?limit=100&state=STARTED", {"X-Api-Key": raider["api_key"]})
        ids = [each["activity_id"] for each in (listing.object.get("activities") or [])] if listing else []
        states = set()
        for activity in ids[-3:] + ids[:3]:
            answer = ask(siege.ports[0], "GET", f"/api/v1/live-activity/{activity}", {"X-Api-Key": raider["api_key"]})
            states |= {each["state"] for each in (answer.object.get("broadcasts") or [])} if answer else set()
        if ids and not states & {"queued", "running", "paused"}:
            return True
        time.sleep(0.5)
    return False
