"""Makes generated requests meet something: activities that exist, users that are known, times that are possible.

The document says what a request looks like; what exists at the moment it cannot say. Requests that are wrong on purpose
are sent as they are.
"""

import hashlib
import hmac
import os
import random
import time
from datetime import datetime, timedelta, timezone

import schemathesis

from . import lists, people, rules, scene
from .inventory import Inventory

CHOICE = random.Random(int(os.environ.get("APICHECK_SEED", "0")))
IDENTITY_SECRET = os.environ.get("APICHECK_IDENTITY_SECRET", "").encode()
INVENTORY = Inventory(CHOICE)
STANDING: list[str] = []

# Limits that count bytes of UTF-8, which a schema cannot say.
BYTES = {
    "insider_id": 250, "udid": 250, "activity_type": 250, "app_version": 64, "system_activity_id": 128,
    "activity_id_attribute": 128, "external_id": 250, "name": 250,
}
# What needs an activity that has not been started; the others need one that has.
BEFORE_START = ("start", "add-users", "remove-users")


def too_long(value) -> bool:
    if not isinstance(value, dict):
        return False
    for name, limit in BYTES.items():
        text = value.get(name)
        if isinstance(text, str) and len(text) <= limit < len(text.encode("utf-8", "surrogatepass")):
            return True
    return too_long(value.get("options"))


@schemathesis.hook
def before_load_schema(context, raw_schema) -> None:
    rules.apply(raw_schema)


@schemathesis.hook
def filter_body(context, body) -> bool:
    return not too_long(body)


@schemathesis.hook
def filter_query(context, query) -> bool:
    return not too_long(query)


@schemathesis.serializer(lists.CSV, lists.LINES)
def serialize_list(context, value) -> bytes:
    # What is no text is meant to be refused.
    return value.encode("utf-8", "replace") if isinstance(value, str) else lists.BROKEN


def is_positive(case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


def is_free(case, value) -> bool:
    """Whether a generated id may be replaced: one that came along a link is kept."""
    return not (case.meta.phase.name.value == "stateful" and INVENTORY.knows(value)) and often()


def soon(least: int, most: int) -> str:
    """A time that many seconds from now."""
    return (datetime.now(timezone.utc) + timedelta(seconds=CHOICE.randint(least, most))).strftime("%Y-%m-%dT%H:%M:%SZ")


def often() -> bool:
    """What exists is not all that is asked for."""
    return CHOICE.random() < 0.8


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    if case.headers and case.headers.get("Idempotency-Key") and often():
        case.headers["Idempotency-Key"] = f"key-{CHOICE.getrandbits(64):x}"
    if case.method.upper() == "DELETE":
        spare_scene(case.path_parameters)
        spare_scene(case.body)
    if not is_positive(case):
        return
    fill_path(case.path_parameters or {})
    fill_query(case.path, case.query or {})
    if case.media_type in (lists.CSV, lists.LINES):
        case.body = lists.some(CHOICE, case.media_type)
    if isinstance(case.body, dict):
        if case.path.startswith("/api/v1/sdk/"):
            fill_report(case, case.body)
        else:
            fill_command(case, case.body)


def anybody() -> str:
    return people.insider_id(CHOICE.randrange(people.COUNT))


def standing() -> str:
    """One of a few activities that nothing ends."""
    if not STANDING:
        for activity in [scene.started() for _ in range(scene.STANDING)]:
            INVENTORY.stands(activity, scene.TYPE, scene.SYNCED)
            STANDING.append(activity)
    return CHOICE.choice(STANDING)


def spare_scene(names) -> None:
    """Nobody whom the check's own activities are for is erased, though ids go from replies into requests."""
    if isinstance(names, dict) and names.get("insider_id") in people.SCENE:
        names["insider_id"] = anybody()


def fill_path(parameters: dict) -> None:
    activity, broadcast = INVENTORY.any(), INVENTORY.broadcast()
    if activity and "activity_id" in parameters and not INVENTORY.knows(parameters["activity_id"]) and often():
        parameters["activity_id"] = activity
    if broadcast and parameters.get("broadcast_id") not in (None, *INVENTORY.broadcasts) and often():
        parameters["broadcast_id"] = broadcast


def fill_query(path: str, query: dict) -> None:
    activity = INVENTORY.any()
    if path.endswith("/schedule") and activity:
        # One of the two names an activity.
        if "external_id" not in query:
            query.setdefault("activity_id", activity)
        elif "activity_id" in query:
            del query["external_id"]
    if path.startswith("/api/v1/live-activity") and "external_id" not in query:
        query.pop("insider_id", None)
    if "external_id" in query:
        # It needs the type, which a schema of parameters cannot say.
        query.setdefault("activity_type", scene.TYPE)
    if activity and query.get("activity_id") and often():
        query["activity_id"] = activity


def fill_command(case, body: dict) -> None:
    if "ends_at" in body:
        body["ends_at"] = soon(400, 600_000)
    # While any activity lives, which is five minutes at least; some come due in this run.
    options = body.get("options")
    if isinstance(options, dict):
        if options.get("expiration"):
            # Later than whatever it is for.
            options["expiration"] = soon(650_000, 700_000)
        if options.get("channel"):
            # The app of the check has no channels.
            options["channel"] = "never"
            options.pop("channel_storage", None)
    if case.path.endswith("/topics/{topic}"):
        fill_topic(body)
    if body.get("offset"):
        body["offset"] = CHOICE.randint(1, 200)
    if body.get("deliver_at"):
        body["deliver_at"] = soon(5, 200)
    if body.get("url"):
        # A name that never has an address (RFC 6761): nothing leaves this machine.
        body["url"] = f"https://hooks.invalid/{CHOICE.randrange(1000)}"
    if body.get("insider_ids") and often():
        body["insider_ids"] = [anybody() for _ in body["insider_ids"][:50]]
    activity = INVENTORY.pick(started=not case.path.endswith(BEFORE_START))
    if case.path.endswith(("/update", "/schedule")):
        activity = CHOICE.choice([activity or standing(), standing()])
    elif "activity_id" in body and CHOICE.random() < 0.4:
        activity = scene.registered() if case.path.endswith(BEFORE_START) else scene.started()
        INVENTORY.stands(activity, scene.TYPE, scene.USERS)
    if activity and "activity_id" in body and is_free(case, body["activity_id"]):
        body["activity_id"] = activity
    if INVENTORY.knows(body.get("activity_id")) and body.get("activity_type") and often():
        body["activity_type"] = INVENTORY.types[body["activity_id"]]
    if body.get("target_devices") and often():
        for target in body["target_devices"]:
            target["insider_id"] = CHOICE.choice([anybody(), CHOICE.choice(people.SCENE)])
            target["udid"] = people.udid_of(target["insider_id"])


def fill_topic(body: dict) -> None:
    """Content such as its state needs."""
    if body["state"] == "live":
        body["content"] = {"title": "Scene", "message": "It is on", "content_state": body.get("content") or {}}
    elif body.get("content"):
        for name in ("title", "message"):
            body["content"].pop(name, None)
        (body.get("options") or {}).pop("sound", None)
    else:
        # Without content there is nothing to show.
        body.pop("options", None)


def fill_report(case, body: dict) -> None:
    if case.path.endswith(("/device", "/push-to-start-token", "/registration-token")):
        activity, users = None, [anybody()]
    else:
        given = body.get("activity_id")
        activity = given if not is_free(case, given) and INVENTORY.knows(given) else CHOICE.choice([standing(), INVENTORY.pick(started=True) or standing()])
        users = INVENTORY.users[activity]
    if often():
        body["insider_id"] = CHOICE.choice(users)
        body["udid"] = people.udid_of(body["insider_id"])
    if activity and body.get("activity_id") and often():
        body["activity_id"] = activity
        if body.get("activity_type"):
            body["activity_type"] = INVENTORY.types[activity]
    if activity in STANDING and body.get("system_activity_id") and often():
        body["system_activity_id"] = scene.system_id(activity, body["insider_id"])
    if (case.headers or {}).get("X-Identity-Signature") is not None:
        case.headers["X-Identity-Signature"] = sign(body["insider_id"], body.get("udid"))


def sign(insider_id: str, udid) -> str:
    """Version 1 or version 2, as it falls; what is no udid is signed by version 1."""
    user = insider_id.encode()
    if not isinstance(udid, str) or CHOICE.random() < 0.5:
        return hmac.new(IDENTITY_SECRET, user, hashlib.sha256).hexdigest()
    device, expiry = udid.encode(), int(time.time()) + 3600
    message = b"\xffv2.%d.%d:%b.%d:%b" % (expiry, len(user), user, len(device), device)
    return f"v2.{expiry}.{hmac.new(IDENTITY_SECRET, message, hashlib.sha256).hexdigest()}"


@schemathesis.hook
def after_call(context, case, response) -> None:
    if not response.headers.get("content-type", [""])[0].startswith("application/json"):
        return
    try:
        reply = response.json()
    except ValueError:
        return
    if not isinstance(reply, dict) or response.status_code not in (200, 202):
        return
    if isinstance(reply.get("broadcast_id"), str):
        INVENTORY.broadcasts.append(reply["broadcast_id"])
    body = case.body
    if not isinstance(body, dict):
        return
    if case.path.endswith("/register"):
        INVENTORY.registered_now(reply["activity_id"], body["activity_type"], body["insider_ids"])
    elif case.path.endswith("/start"):
        INVENTORY.started_now(body["activity_id"])
    elif case.path.endswith("/end") and not body.get("target_devices"):
        INVENTORY.ended_now(body["activity_id"])
