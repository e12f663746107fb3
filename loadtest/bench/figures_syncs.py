"""Update tokens that devices report, against nginx's answer to the same requests."""

import json

from .alternation import alternately
from .figure import Figure
from .gateway import running_gateway
from .nginx import Nginx
from .played_devices import PlayedDevices
from .progress import say
from .samples import Samples
from .usage import processor_time

#: Calls under way at a time.
CONNECTIONS = 128


def measure(binaries, plan):
    with running_gateway(binaries) as gateway:
        generator = _Generator(gateway, plan)
        identifier = generator.started_activity()
        # As long a text as the gateway's.
        text = json.dumps({"status": "success", "activity_id": identifier}, separators=(",", ":"))
        nginx = Nginx(gateway.place, text)
        redis = Samples()

        def ours():
            before = processor_time(gateway.redis.pid)
            cost = generator.syncs(gateway.url, identifier, gateway.server.pid)
            redis.add((processor_time(gateway.redis.pid) - before) / generator.calls)
            return cost

        def theirs():
            return generator.syncs(nginx.url, identifier, nginx.worker)

        say(f"syncs to the gateway and to nginx, {plan.sync_rounds} times {generator.calls:,} each")
        ours()
        redis.values.clear()
        gateway_cost, nginx_cost = alternately(plan.sync_rounds, ours, theirs)
    yield Figure(
        "syncs", "syncs per CPU second of the gateway, nginx with a fixed 200 = 1",
        Samples(b / a for a, b in zip(gateway_cost.values, nginx_cost.values)), 0.35, more_is_better=True,
        notes=[f"Gateway {gateway_cost.median * 1e6:.1f} µs a sync ({1 / gateway_cost.median:,.0f} for each second of "
               f"CPU time), nginx {nginx_cost.median * 1e6:.1f} µs ({1 / nginx_cost.median:,.0f}). "
               f"Redis took {redis.median * 1e6:.1f} µs a sync on top."],
        details={"connections": CONNECTIONS, "syncs_per_round": generator.calls,
                 "gateway_us_per_sync": [each * 1e6 for each in gateway_cost.values],
                 "nginx_us_per_request": [each * 1e6 for each in nginx_cost.values],
                 "redis_us_per_sync": [each * 1e6 for each in redis.values]})


class _Generator:
    """The same requests to both servers."""

    def __init__(self, gateway, plan):
        self.devices = PlayedDevices(gateway, plan.sync_devices)
        self.rotations = plan.sync_rotations
        self.calls = plan.sync_devices * (1 + plan.sync_rotations)

    def started_activity(self):
        """Registers the devices, starts an activity on all of them, and returns its id."""
        say(f"registering {self.devices.count:,} devices and starting an activity on them")
        self.devices.register()
        report = self.devices.run(
            "broadcasts", self.devices.gateway.url, "--segment-size", str(self.devices.count), "--start-one")
        return report["activity_id"]

    def syncs(self, url, identifier, pid):
        """CPU seconds of the process for each sync. Each reports another token than the one before."""
        before = processor_time(pid)
        self.devices.sync(url, identifier, CONNECTIONS, self.rotations)
        return (processor_time(pid) - before) / self.calls
