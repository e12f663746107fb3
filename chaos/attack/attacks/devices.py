"""One SDK key, which is in every copy of the app, reports made-up devices as fast as it can."""

import json

from attack import bounds

NAME = "devices"
TITLE = "made-up devices by one SDK key over four connections"


def report(insider_id, udid):
    return json.dumps({"insider_id": insider_id, "udid": udid, "platform": "ios", "os_version": "18.1",
                       "push_opt_in": True, "gdpr_consent": True, "environment": "production"})


def put_device(tenant, insider_id, udid):
    """A template of a flood."""
    return {"method": "PUT", "path": "/api/v1/sdk/device", "headers": {"X-Sdk-Key": tenant["sdk_key"]},
            "body": report(insider_id, udid)}


def accepted(answers):
    return sum(count for answer, count in answers.items() if answer.startswith("2"))


def prepare(siege):
    limit = siege.size(bounds.NEW_DEVICES_A_MINUTE, 2_000)
    return siege.tenant("raider", **({"new_devices_per_minute": limit} if siege.is_quick else {})), limit


def play(siege, state):
    raider, limit = state
    answers = siege.flood([put_device(raider, "made-@@", "made-@@")], siege.size(150_000, 4_000), seconds=20)
    siege.check(f"at most {limit:,} devices are seen for the first time in a minute", accepted(answers) <= limit * 1.05,
                f"{accepted(answers):,} accepted")
    # They are known by now, and each reports once more.
    answers = siege.flood([put_device(raider, "made-@@", "made-@@")], 500, connections=1)
    siege.check("a device that is known is taken while new ones are refused", answers["200"] == 500, dict(answers))
    answers = siege.flood([put_device(raider, "one", "one")], siege.size(2_000, 600), connections=2)
    siege.check("one device reports 120 times a minute", accepted(answers) <= 130, dict(answers))
    answers = siege.flood([put_device(raider, "many", "of-many-@@")], siege.size(3_000, 1_000), connections=2)
    siege.check("one user's devices report 600 times a minute", accepted(answers) <= 650, dict(answers))
    siege.check("what is refused is told when to come again", set(answers) <= {"200", "429 RATE_LIMITED"}, dict(answers))
