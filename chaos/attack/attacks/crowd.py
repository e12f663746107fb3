"""Hundreds of made-up devices for a chosen user, whose own new phone must have its Live Activity all the same."""

import datetime
import hashlib
import time

from attack.wire import ask

from .devices import put_device, report

NAME = "crowd"
TITLE = "550 made-up devices for a chosen user, who then gets a new phone"
_TYPE = "CrowdAttributes"


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    siege.flood([put_device(raider, "victim", "made-@@")], 550, connections=4, depth=10)
    app, customer = {"X-Sdk-Key": raider["sdk_key"]}, {"X-Api-Key": raider["api_key"]}
    token = hashlib.sha256(f"victim {siege.options.seed}".encode()).hexdigest()
    reported = _patiently(siege, "PUT", "/api/v1/sdk/device", app, report("victim", "new-phone"))
    siege.check("the user's new phone is taken", reported and reported.status == 200, reported)
    _patiently(siege, "PUT", "/api/v1/sdk/push-to-start-token", app,
               {"insider_id": "victim", "udid": "new-phone", "token": token})
    ends_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    registered = _patiently(siege, "POST", "/api/v1/live-activity/register", customer, {
        "activity_type": _TYPE, "insider_ids": ["victim"], "ends_at": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")})
    siege.check("the user's new phone is registered", registered and registered.object.get("registered_devices") == 1,
                registered)
    started = _patiently(siege, "POST", "/api/v1/live-activity/start", customer, {
        "activity_id": (registered.object if registered else {}).get("activity_id", "none"), "activity_type": _TYPE,
        "content": {"title": "t", "message": "m", "content_state": {}, "attributes": {}}})
    siege.check("the user's new phone is started", started and started.object.get("sessions_triggered") == 1, started)

    def conclude(pushes):
        count = sum(push.token == token and push.status == 200 for push in pushes)
        siege.check("the provider has accepted one push to the new phone", count == 1, f"{count} pushes")

    siege.when_over(conclude)


def _patiently(siege, method, path, headers, body):
    """As an app does that is told to come again."""
    deadline = time.monotonic() + 70
    while True:
        answer = ask(siege.ports[0], method, path, headers, body, source="127.0.0.3")
        siege.count(answer)
        if answer is None or answer.status != 429 or time.monotonic() > deadline:
            return answer
        time.sleep(min(5, int(answer.header("Retry-After") or 1)))
