"""Activities that devices open by `external_id`, in masses."""

import datetime
import json

from attack.wire import ask
from harness.failure import ChaosFailure

from .devices import accepted, put_device

NAME = "activities"
TITLE = "activities by external_id in masses"
_TYPE = "MassAttributes"


def _open(tenant, insider_id, udid, external_id):
    return {"method": "POST", "path": "/api/v1/sdk/sync", "headers": {"X-Sdk-Key": tenant["sdk_key"]},
            "body": json.dumps({"insider_id": insider_id, "udid": udid, "token": "ab" * 32, "activity_type": _TYPE,
                                "external_id": external_id, "system_activity_id": external_id})}


def prepare(siege):
    raider = siege.tenant("raider")
    users = siege.size(320, 20)
    answers = siege.flood([put_device(raider, "user-@@", "user-@@")], users, connections=2, depth=10)
    if answers["200"] != users:
        raise ChaosFailure(f"the devices of this attack were not taken: {answers}")
    ends_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    token = ask(siege.ports[0], "PUT", "/api/v1/sdk/push-to-start-token", {"X-Sdk-Key": raider["sdk_key"]},
                {"insider_id": "user-0", "udid": "user-0", "token": "ab" * 32})
    registered = ask(siege.ports[0], "POST", "/api/v1/live-activity/register", {"X-Api-Key": raider["api_key"]}, {
        "activity_type": "OwnAttributes", "insider_ids": ["user-0"], "ends_at": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")})
    if registered is None or registered.status != 200:
        raise ChaosFailure(f"the customer could not register: {token}, {registered}")
    return raider, users, registered.object["activity_id"]


def mass(siege, raider, users):
    """As many as 49 of each user's."""
    templates = [_open(raider, f"user-{number}", f"user-{number}", "mass-@@") for number in range(users - 1)]
    return siege.flood(templates, siege.size(15_000, 500), depth=20)


def play(siege, state):
    raider, users, own = state
    mass(siege, raider, users)
    listing = ask(siege.ports[0], "GET", "/api/v1/live-activity?limit=20", {"X-Api-Key": raider["api_key"]})
    listed = [each.get("activity_id") for each in (listing.object.get("activities") or [])] if listing else []
    siege.check("the customer's own activity is on the first page of the listing", own in listed, f"{len(listed)} others")
    last = f"user-{users - 1}"
    answers = siege.flood([_open(raider, last, last, "own-@@")], 200, connections=2, depth=10)
    siege.check("one user's devices have at most 50 activities open", accepted(answers) <= 50, dict(answers))
