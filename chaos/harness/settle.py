"""After the load: waits until every broadcast has ended and Redis is tidy, and takes stock."""

import datetime
import random
import time

from .invariants import leftovers
from .client import Client
from .evidence import ENDED, Record
from .inventory import Inventory
from .progress import say
from .resp import RedisError

_PATH = "/api/v1/live-activity/broadcasts"


def wait_for_ends(run, timeout):
    """Returns the records of all broadcasts, by id, and the seconds that it took. The time is up when for so long nothing
    went forward, so a machine that is busy with other things is given more, but not for ever."""
    client = _client(run)
    begin, records, said = time.monotonic(), {}, None
    progress, progress_at = None, begin
    while True:
        inventory = _inventory(run)
        known = {identifier for call in run.journal.calls for identifier in call.broadcast_ids}
        known |= set(inventory.records if inventory else ())
        for identifier in known:
            if identifier not in records or records[identifier].state not in ENDED:
                records[identifier] = _record(client, identifier, inventory)
        # What Redis was made to throw away never ends.
        final = (*ENDED, "answered 404") if run.options.evict else ENDED
        open_ones = [record for record in records.values() if record.state not in final]
        now = time.monotonic()
        seen = len(open_ones), sum(record.accepted for record in records.values())
        if seen != progress:
            progress, progress_at = seen, now
        if inventory and not open_ones or now - progress_at > timeout or now - begin > 3 * timeout:
            return records, now - begin
        if len(open_ones) != said:
            said = len(open_ones)
            say(f"waiting for {said} of {len(records)} broadcasts")
        time.sleep(0.5)


def read_again(run, records):
    """Records that leave something in doubt: a gateway may have told since what it knew of it."""
    client = _client(run)
    for identifier, record in records.items():
        if record.state in ENDED and record.failed.get("unknown"):
            answer = client.persist("GET", f"{_PATH}/{identifier}", budget=5, timeout=3)
            if answer.status == 200:
                record.accepted, record.failed = answer.body["accepted"], answer.body.get("failed", {})
                record.skipped = answer.body.get("skipped", {})


def _client(run):
    return Client(run.ports, {"X-Api-Key": run.tenant["api_key"]}, random.Random(run.seed), lambda: False)


def wait_until_tidy(run, timeout):
    """Returns the last inventory: the first in which nothing is left behind, or the one when time was up."""
    deadline = time.monotonic() + timeout
    while True:
        inventory = _inventory(run)
        problems = [key for key in inventory.keys if leftovers.problem(key)] if inventory else ["?"]
        if not problems or time.monotonic() > deadline:
            return inventory
        time.sleep(0.5)


def _inventory(run):
    try:
        return Inventory(run.redis)
    except RedisError as error:
        say(f"Redis could not be read: {error}")
        return None


def _record(client, identifier, inventory):
    kept = inventory.records.get(identifier, {}) if inventory else {}
    answer = client.persist("GET", f"{_PATH}/{identifier}", budget=5, timeout=3)
    body = answer.body if answer.status == 200 else {}
    created = int(kept["created_at"]) / 1000 if "created_at" in kept else _seconds(body.get("started_at")) or 0.0
    finished = int(kept["finished_at"]) / 1000 if "finished_at" in kept else _seconds(body.get("finished_at"))
    return Record(
        id=identifier, activity=body.get("activity_id") or kept.get("activity", ""),
        kind=body.get("kind") or kept.get("kind", ""), state=body.get("state") or f"answered {answer.status}",
        accepted=body.get("accepted", 0), failed=body.get("failed", {}), skipped=body.get("skipped", {}),
        created_at=created, finished_at=finished,
        timestamp=int(kept["timestamp"]) if "timestamp" in kept else None)


def _seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else None
