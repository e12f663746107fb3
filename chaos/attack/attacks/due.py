"""Schedules of an activity that are all due in one second, one for each of its users."""

import json
import re
import time

from attack import bounds
from attack.watch import processor_seconds
from attack.wire import ask
from harness.failure import ChaosFailure
from harness.resp import Redis

from .devices import put_device

NAME = "due"
TITLE = "10,000 schedules of one activity that are due in one second"
_ACTIVITY = {"activity_type": "DueAttributes", "external_id": "auction"}
#: All numbers of users have as many digits, so that a token has an even number of them.
_FIRST = 10_000
_TOKEN = "ab" * 29 + "a"
#: Requests of a flood. All of a flood have one offset.
_PART = 250


def _report(raider, path, **fields):
    return {"method": "POST", "path": f"/api/v1/sdk/{path}", "headers": {"X-Sdk-Key": raider["sdk_key"]},
            "body": json.dumps({"insider_id": "user-@@", "udid": "user-@@"} | _ACTIVITY | fields)}


def _flood(siege, template, count, first=_FIRST):
    answers = siege.flood([template], count, first=first)
    if answers["200"] != count:
        raise ChaosFailure(f"the requests of this attack were not taken: {answers}")


def prepare(siege):
    raider, count = siege.tenant("raider"), siege.size(10_000, 500)
    _flood(siege, put_device(raider, "user-@@", "user-@@"), count)
    _flood(siege, _report(raider, "sync", token=f"{_TOKEN}@@"), count)
    due = time.time() + siege.size(45, 8)
    for first in range(_FIRST, _FIRST + count, _PART):
        offset = round(due - time.time())
        _flood(siege, _report(raider, "schedule", offset=offset, content_state={"price": 1}), _PART, first)
    # The peace between this and the attack ends as the first one is due.
    time.sleep(max(0.0, due - 1 - time.time() - siege.size(10, 0.8)))
    return raider, count


def play(siege, state):
    raider, count = state
    pid, begin = siege.scene.redis.server.pid, time.monotonic()
    before = _script_seconds(siege), processor_seconds(pid)
    while (waiting := _waiting(siege, raider)) != 0 and time.monotonic() < begin + 120:
        time.sleep(0.25)
    seconds = time.monotonic() - begin
    siege.check("all schedules are carried out", waiting == 0, f"{waiting} wait after {seconds:.1f} s")
    scripts, processor = _script_seconds(siege) - before[0], processor_seconds(pid) - before[1]
    limit = count * bounds.SCRIPT_SECONDS_A_SCHEDULE
    siege.check("what is due at once costs Redis little", scripts <= limit,
                f"{scripts:.1f} s of scripts for {count:,} in {seconds:.1f} s, at most {limit:.1f}; {processor:.1f} s of processor",
                is_timed=True)

    def conclude(pushes):
        tokens = [push.token for push in pushes if push.status == 200 and push.token.startswith(_TOKEN)]
        siege.check("the provider has accepted one push for each schedule", len(tokens) == len(set(tokens)) == count,
                    f"{len(tokens):,} pushes to {len(set(tokens)):,} phones")

    siege.when_over(conclude)


def _script_seconds(siege):
    """The time that Redis has spent in scripts."""
    with Redis(siege.scene.redis.ports[0]) as redis:
        return sum(map(int, re.findall(r"cmdstat_evalsha:calls=\d+,usec=(\d+)", redis.text("INFO", "commandstats")))) / 1e6


def _waiting(siege, raider):
    """The number of schedules that wait. None without an answer."""
    answer = ask(siege.ports[0], "GET", "/api/v1/limits", {"X-Api-Key": raider["api_key"]})
    siege.count(answer)
    limits = answer.object.get("limits") or [] if answer else []
    return next((each["used"] for each in limits if each["name"] == "app_schedules"), None)
