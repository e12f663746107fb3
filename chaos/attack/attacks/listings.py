"""A tenant with masses of activities that asks for its listing as fast as it can, with filters that match none as well."""

import statistics
import time

from attack.wire import Wire, ask

from . import activities

NAME = "listings"
TITLE = "storms of listings by a tenant that has 15,000 activities"


def prepare(siege):
    raider, users, _ = activities.prepare(siege)
    activities.mass(siege, raider, users)
    return raider


def play(siege, raider):
    # Those that devices opened are listed by themselves where they can be.
    opened = "&opened_by=any" if b"opened_by" in ask(siege.ports[0], "GET", "/openapi.json").body else ""
    listing = {"method": "GET", "path": f"/api/v1/live-activity?limit=100{opened}", "headers": {"X-Api-Key": raider["api_key"]}}
    unmatched = dict(listing, path=f"/api/v1/live-activity?limit=100&activity_type=Nothing{opened}")
    siege.flood([listing, unmatched], siege.size(2_000, 300), connections=8, depth=2, seconds=siege.size(15, 4))
    seconds = []
    with Wire(siege.ports[0], "127.0.0.2") as wire:
        for _ in range(20):
            begin = time.monotonic()
            wire.call("GET", "/api/v1/live-activity?limit=20", {"X-Api-Key": siege.scene.neighbour["api_key"]})
            seconds.append(time.monotonic() - begin)
    siege.check("the neighbour's listing costs what it returns", statistics.median(seconds) < 0.025,
                f"{statistics.median(seconds) * 1000:.1f} ms", is_timed=True)
