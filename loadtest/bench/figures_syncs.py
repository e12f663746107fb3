"""Update tokens that devices report, against nginx's answer to the same requests."""

import json

from .alternation import alternately
from .failure import BenchFailure
from .figure import Figure
from .gateway import running_gateway
from .nginx import Nginx
from .progress import say
from .samples import Samples
from .usage import processor_time

#: Calls under way at a time.
CONNECTIONS = 128
_KEY = "FANFARE_LOADTEST_SDK_KEY"


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
            cost = generator.syncs(f"http://127.0.0.1:{gateway.port}", identifier, gateway.server.pid)
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
    """`fanfare loadtest devices`: the same requests to both servers."""

    def __init__(self, gateway, plan):
        self.gateway = gateway
        self.devices = plan.sync_devices
        self.rotations = plan.sync_rotations
        self.calls = plan.sync_devices * (1 + plan.sync_rotations)
        self.environment = gateway.environment | {
            _KEY: gateway.tenant["sdk_key"], "FANFARE_LOADTEST_API_KEY": gateway.tenant["api_key"]}

    def _run(self, kind, url, *options):
        output, _ = self.gateway.place.run(f"fanfare loadtest {kind}", [
            self.gateway.place.binary("fanfare"), "loadtest", kind, "--url", url, "--devices", str(self.devices),
            "--json", *options], self.environment)
        report = json.loads(output)
        if not report["ok"]:
            raise BenchFailure(f"{report['failed']} calls of loadtest {kind} failed")
        return report

    def started_activity(self):
        """Registers the devices, starts an activity on all of them, and returns its id."""
        say(f"registering {self.devices:,} devices and starting an activity on them")
        url = f"http://127.0.0.1:{self.gateway.port}"
        self._run("devices", url, "--register-only")
        report = self._run("broadcasts", url, "--segment-size", str(self.devices), "--start-one")
        return report["activity_id"]

    def syncs(self, url, identifier, pid):
        """CPU seconds of the process for each sync. Each reports another token than the one before."""
        before = processor_time(pid)
        report = self._run(
            "devices", url, "--activity-id", identifier, "--rotations", str(self.rotations),
            "--connections", str(CONNECTIONS))
        cost = processor_time(pid) - before
        succeeded = sum(phase["succeeded"] for phase in report["phases"])
        if succeeded != self.calls:
            raise BenchFailure(f"{succeeded} of {self.calls} syncs succeeded")
        return cost / self.calls
