"""Update tokens that devices report, against nginx's answer to the same requests."""

import json

from .alternation import alternately
from .figure import Figure
from .gateway import running_gateway
from .nginx import Nginx
from .played_devices import PlayedDevices
from .progress import say
from .redis_yardstick import sets
from .samples import Samples, ratios
from .usage import processor_time

#: The first is what a storm is measured with; the others say whether it stays as cheap.
CONNECTIONS = (128, 1_000, 10_000)
#: So much of nginx's rate on a core, and so much of the one of few connections.
TARGET, FLAT = 0.5, 0.9


def measure(binaries, plan):
    settings = {"FANFARE_HTTP_MAX_CONNECTIONS_PER_ADDRESS": "16000"}
    with running_gateway(binaries, settings=settings) as gateway:
        gateway.lift_device_limits()
        generator = _Generator(gateway, plan)
        identifier = generator.started_activity()
        # As long a text as the gateway's.
        text = json.dumps({"status": "success", "activity_id": identifier}, separators=(",", ":"))
        nginx = Nginx(gateway.place, text)
        # Once without counting: connections to Redis, scripts, and a token for every device.
        generator.syncs(gateway.url, identifier, CONNECTIONS[0], 0)
        set_cost, _ = sets(gateway.place, gateway.redis, gateway.socket, 50)
        few = None
        for connections in CONNECTIONS:
            measured = _Rounds(generator, gateway, nginx, identifier, connections, plan.sync_rounds)
            yield measured.figure(set_cost)
            few = few or measured
        yield few.redis_figure(set_cost)
        yield measured.flatness(few)


class _Rounds:
    """So many rounds of syncs and requests on so many connections."""

    def __init__(self, generator, gateway, nginx, identifier, connections, rounds):
        self.connections, self.calls = connections, generator.calls
        self.redis = Samples()

        def ours():
            cost, redis = generator.cost(gateway.url, identifier, connections, [gateway.server.pid, gateway.redis.pid])
            self.redis.add(redis)
            return cost

        def theirs():
            return generator.cost(nginx.url, identifier, connections, [nginx.worker])[0]

        say(f"syncs on {connections:,} connections to the gateway and to nginx, {rounds} times {self.calls:,} each")
        self.gateway, self.nginx = alternately(rounds, ours, theirs)
        self.ratios = ratios(self.nginx, self.gateway)

    def figure(self, set_cost):
        is_first = self.connections == CONNECTIONS[0]
        return Figure(
            "syncs" if is_first else f"syncs_{self.connections}",
            f"syncs per CPU second of the gateway on {self.connections:,} connections, nginx with a fixed 200 = 1",
            self.ratios, TARGET, more_is_better=True, bound="syncs", before=0.31 if is_first else None,
            notes=[f"Gateway {self.gateway.median * 1e6:.1f} µs a sync ({1 / self.gateway.median:,.0f} for each second "
                   f"of CPU time), nginx {self.nginx.median * 1e6:.1f} µs ({1 / self.nginx.median:,.0f}). Redis took "
                   f"{self.redis.median * 1e6:.1f} µs a sync on top, {self.redis.median / set_cost:.1f} times a SET of "
                   "redis-benchmark."],
            details={"connections": self.connections, "syncs_per_round": self.calls,
                     "gateway_us_per_sync": [each * 1e6 for each in self.gateway.values],
                     "nginx_us_per_request": [each * 1e6 for each in self.nginx.values],
                     "redis_us_per_sync": [each * 1e6 for each in self.redis.values]})

    def redis_figure(self, set_cost):
        return Figure(
            "syncs_redis", "CPU of Redis for a sync", Samples(each * 1e6 for each in self.redis.values), None, "µs",
            bound="syncs", before=17.0, notes=[f"redis-benchmark's SET takes {set_cost * 1e6:.1f} µs."])

    def flatness(self, few):
        return Figure(
            "syncs_flat",
            f"syncs per CPU second on {self.connections:,} connections beside nginx, on {few.connections} = 1",
            Samples([self.ratios.median / few.ratios.median]), FLAT, more_is_better=True, bound="syncs",
            notes=[f"The gateway takes {self.gateway.median / few.gateway.median:.2f} times as long for a sync, nginx "
                   f"{self.nginx.median / few.nginx.median:.2f} times for a request."])


class _Generator:
    """The same requests to both servers."""

    def __init__(self, gateway, plan):
        self.devices = PlayedDevices(gateway, plan.sync_devices)
        self.rotations = plan.sync_rotations
        #: Opening connections is no part of a sync: what a run with one sync of each device takes is taken off.
        self.calls = plan.sync_devices * plan.sync_rotations

    def started_activity(self):
        """Registers the devices, starts an activity on all of them, and returns its id."""
        say(f"registering {self.devices.count:,} devices and starting an activity on them")
        self.devices.register()
        report = self.devices.run(
            "broadcasts", self.devices.gateway.url, "--segment-size", str(self.devices.count), "--start-one")
        return report["activity_id"]

    def syncs(self, url, identifier, connections, rotations):
        self.devices.sync(url, identifier, connections, rotations)

    def cost(self, url, identifier, connections, pids):
        """CPU seconds of each process for a sync. Each reports another token than the one before."""
        short = self._work(url, identifier, connections, 0, pids)
        whole = self._work(url, identifier, connections, self.rotations, pids)
        return [(long - few) / self.calls for long, few in zip(whole, short)]

    def _work(self, url, identifier, connections, rotations, pids):
        before = [processor_time(pid) for pid in pids]
        self.syncs(url, identifier, connections, rotations)
        return [processor_time(pid) - then for pid, then in zip(pids, before)]
