"""One SDK key, which is in every copy of the app, reports made-up devices as fast as it can."""

import json

from attack import bounds
from attack.wire import ask
from harness.failure import ChaosFailure

NAME = "devices"
TITLE = "made-up devices by one SDK key over four connections"
_TOPIC = "derby"


def report(insider_id, udid):
    return json.dumps({"insider_id": insider_id, "udid": udid, "platform": "ios", "os_version": "18.1",
                       "push_opt_in": True, "gdpr_consent": True, "environment": "production"})


def put_device(tenant, insider_id, udid):
    """A template of a flood."""
    return {"method": "PUT", "path": "/api/v1/sdk/device", "headers": {"X-Sdk-Key": tenant["sdk_key"]},
            "body": report(insider_id, udid)}


def follow(tenant, insider_id):
    return {"method": "PUT", "path": f"/api/v1/sdk/topics/{_TOPIC}/follow", "headers": {"X-Sdk-Key": tenant["sdk_key"]},
            "body": json.dumps({"insider_id": insider_id, "udid": "phone"})}


def accepted(answers):
    return sum(count for answer, count in answers.items() if answer.startswith("2"))


def prepare(siege):
    limit = siege.size(bounds.NEW_DEVICES_A_MINUTE, 2_000)
    raider = siege.tenant("raider", **({"new_devices_per_minute": limit} if siege.is_quick else {}))
    put = ask(siege.ports[0], "PUT", f"/api/v1/topics/{_TOPIC}", {"X-Api-Key": raider["api_key"]}, {
        "activity_type": "MatchAttributes", "state": "upcoming",
        "content": {"title": "t", "message": "m", "content_state": {"n": 1}}})
    if put is None or put.status != 200:
        raise ChaosFailure(f"the customer could not make a topic: {put}")
    # Of another one, whose new devices are not used up.
    return raider, limit, siege.tenant("caller")


def play(siege, state):
    raider, limit, caller = state
    answers = siege.flood([put_device(raider, "made-@@", "made-@@")], siege.size(150_000, 4_000), seconds=20)
    # Exactly so many: what a gateway may make is given to it by the store, and to no other one.
    siege.check(f"at most {limit:,} devices are seen for the first time in a minute", accepted(answers) <= limit,
                f"{accepted(answers):,} accepted")
    # Whoever follows is a user, also without a device.
    made = accepted(answers)
    answers = siege.flood([follow(raider, "follower-@@")], siege.size(2_000, 600), connections=2)
    siege.check(f"together with made-up followers they are {limit:,}", made + accepted(answers) <= limit, dict(answers))
    # They are known by now, and each reports once more.
    answers = siege.flood([put_device(raider, "made-@@", "made-@@")], 500, connections=1)
    siege.check("a device that is known is taken while new ones are refused", answers["200"] == 500, dict(answers))
    answers = siege.flood([put_device(caller, "one", "one")], siege.size(2_000, 600), connections=2)
    siege.check("one device reports 120 times a minute", 120 <= accepted(answers) <= bounds.requests(120), dict(answers))
    # Fewer devices than a user may have, so that none has to make way, and each below its own limit.
    answers = siege.flood([put_device(caller, "many", f"of-many-{number}") for number in range(siege.size(40, 20))],
                          siege.size(3_000, 1_000), connections=2)
    siege.check("one user's devices report 600 times a minute", 600 <= accepted(answers) <= bounds.requests(600),
                dict(answers))
    siege.check("what is refused is told when to come again", set(answers) <= {"200", "429 RATE_LIMITED"}, dict(answers))
