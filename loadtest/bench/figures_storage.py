"""What a device takes in Redis."""

import json

from .figure import Figure
from .progress import say
from .samples import Samples
from .workplace import Workplace


def measure(binaries, plan):
    devices = plan.stored_devices
    say(f"memory in Redis, {devices:,} devices")
    with Workplace(binaries) as place:
        output, _ = place.run("store-benchmark", [
            place.binary("store-benchmark"), "--devices", str(devices), "--json"])
    measured = json.loads(output)
    yield Figure(
        "registry_memory", "Redis: a device with its push-to-start token",
        Samples([measured["registry_bytes_per_device"]]), 300.0, "bytes", details=measured)
    yield Figure(
        "roster_memory", "Redis: a device in an activity, with both kinds of token",
        Samples([measured["roster_bytes_per_device"]]), 120.0, "bytes",
        notes=[f"{measured['running_roster_bytes_per_device']:.0f} bytes once the start's tokens are gone."],
        details={"devices": devices})
