"""Activities that a check makes for itself, in the state that a call needs."""

import json
import os
import urllib.request
from datetime import datetime, timedelta, timezone

from . import people

TYPE = "SceneAttributes"
# Of them the first few sync.
USERS = people.SCENE
SYNCED = USERS[:5]
# How many stand, started and synced, throughout a run.
STANDING = 3


def system_id(activity: str, user: str) -> str:
    return f"{activity}-{user}"


def registered() -> str:
    """An activity that has not been started."""
    ends_at = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _customer("register", {"activity_type": TYPE, "insider_ids": USERS, "ends_at": ends_at})["activity_id"]


def started() -> str:
    """An activity that has been started, and synced by some."""
    activity = registered()
    content = {"title": "Scene", "message": "It begins", "content_state": {"n": 0}}
    _customer("start", {"activity_id": activity, "activity_type": TYPE, "content": content})
    for user in SYNCED:
        _call("/api/v1/sdk/sync", "X-Sdk-Key", os.environ["APICHECK_SDK_KEY"], {
            "insider_id": user, "udid": people.udid_of(user), "activity_id": activity, "token": user.encode().hex(),
            "system_activity_id": system_id(activity, user)})
    return activity


def _customer(path: str, body: dict) -> dict:
    return _call(f"/api/v1/live-activity/{path}", "X-Api-Key", os.environ["APICHECK_API_KEY"], body)


def _call(path: str, header: str, key: str, body: dict) -> dict:
    request = urllib.request.Request(os.environ["APICHECK_URL"] + path, method="POST", data=json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    request.add_header(header, key)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)
