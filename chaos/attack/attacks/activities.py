"""Activities that devices open by `external_id`, in masses."""

import json

from harness.failure import ChaosFailure

from .devices import accepted, put_device

NAME = "activities"
TITLE = "activities by external_id in masses"
_TYPE = "MassAttributes"


def _open(tenant, insider_id, udid, external_id):
    return {"method": "POST", "path": "/api/v1/sdk/sync", "headers": {"X-Sdk-Key": tenant["sdk_key"]},
            "body": json.dumps({"insider_id": insider_id, "udid": udid, "token": "ab" * 32, "activity_type": _TYPE,
                                "external_id": external_id})}


def prepare(siege):
    raider = siege.tenant("raider")
    users = siege.size(320, 20)
    answers = siege.flood([put_device(raider, "user-@@", "user-@@")], users, connections=2, depth=10)
    if answers["200"] != users:
        raise ChaosFailure(f"the devices of this attack were not taken: {answers}")
    return raider, users


def mass(siege, raider, users):
    """As many as 49 of each user's."""
    templates = [_open(raider, f"user-{number}", f"user-{number}", "mass-@@") for number in range(users - 1)]
    return siege.flood(templates, siege.size(15_000, 500), depth=20)


def play(siege, state):
    raider, users = state
    mass(siege, raider, users)
    last = f"user-{users - 1}"
    answers = siege.flood([_open(raider, last, last, "own-@@")], 200, connections=2, depth=10)
    siege.check("one user's devices have at most 50 activities open", accepted(answers) <= 50, dict(answers))
