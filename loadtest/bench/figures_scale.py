"""Gateways that share a Redis: what a second one brings and costs, and what a small start waits for a large one."""

import threading
import time
from contextlib import closing

from . import figures_commands
from .alternation import alternately
from .failure import BenchFailure
from .figure import Figure
from .gateway import running_gateway
from .progress import say
from .samples import Samples, ratios
from .usage import Interference, processor_time

CONNECTIONS = 2
#: The pushes a second that the provider's streams allow a gateway, few enough to leave the cores idle.
BOUND = 20_000
#: Its latency in ms. Long, so that what the machine does besides adds little to it.
LATENCY = 100
#: Where the latency itself is most of what is measured it is an ordinary one.
SHORT_LATENCY = 50
SMALL = 10
#: What gateways still do once they have answered counts as well.
AFTERWARDS = 0.3


def bounded(latency):
    """A provider that bounds a gateway to BOUND pushes a second, for `running_gateway`."""
    return {
        "script": {"latency": {"fixed_ms": latency}, "stream_limit": {"usual": streams(latency)}},
        "settings": {"FANFARE_APNS_CONNECTIONS": str(CONNECTIONS)},
    }


def streams(latency):
    """On each connection: as many pushes are under way as are answered within the latency."""
    return BOUND * latency // (1000 * CONNECTIONS)


def measure(binaries, plan):
    parts = [lambda: _speed(binaries, plan), lambda: _cost(binaries, plan),
             lambda: figures_commands.measure(binaries, plan), lambda: _small_beside_large(binaries, plan)]
    for part in parts:
        with closing(part()) as measured:
            yield from measured


class _Starts:
    """Starts of the whole segment on one set of gateways. All of its processes stay warm from round to round."""

    def __init__(self, gateway, devices):
        self.gateway = gateway
        self.devices = devices
        self.seconds, self.others = Samples(), Samples()
        self.redis = Samples()
        #: The share of the process that did least.
        self.least = Samples()
        gateway.import_devices(devices)

    def warm_up(self):
        self.start()
        for each in (self.seconds, self.others, self.redis, self.least):
            each.values.clear()

    def start(self):
        """CPU seconds of all gateways together."""
        identifier = self.gateway.register(self.devices)
        interference = Interference(each.pid for each in self.gateway.servers)
        redis = processor_time(self.gateway.redis.pid)
        before = [processor_time(each.pid) for each in self.gateway.processes]
        self.seconds.add(self.gateway.start(identifier, self.devices))
        self.others.add(interference.share())
        time.sleep(AFTERWARDS)
        work = [processor_time(each.pid) - then for each, then in zip(self.gateway.processes, before)]
        self.redis.add(processor_time(self.gateway.redis.pid) - redis)
        self.least.add(min(work) / sum(work))
        return sum(work)

    def timed(self):
        self.start()
        return self.seconds.values[-1]


def _speed(binaries, plan):
    devices = plan.scale_devices
    provider = bounded(LATENCY)
    with running_gateway(binaries, **provider) as one, running_gateway(binaries, processes=2, **provider) as two:
        say(f"start of {devices:,} devices on one gateway and on two, {BOUND:,} pushes a second for each")
        alone, both = _Starts(one, devices), _Starts(two, devices)
        single, double = alternately(plan.scale_rounds, alone.timed, both.timed)
    yield Figure(
        "scale_speed", f"start of {devices:,} devices where streams are the bound: time of one gateway, of two = 1",
        ratios(single, double), 1.8, aim=2.0, more_is_better=True,
        notes=[f"One gateway {single.median:.2f} s ({devices / single.median:,.0f} pushes a second of the {BOUND:,} "
               f"that the provider lets it have), two {double.median:.2f} s ({devices / double.median:,.0f}). "
               f"Of the two gateways' CPU time the one that did less had {both.least.median * 100:.0f} %. "
               f"Other work used {Samples(alone.others.values + both.others.values).median:.1f} cores meanwhile."],
        details={"devices": devices, "connections": CONNECTIONS, "streams": streams(LATENCY), "latency_ms": LATENCY,
                 "one_seconds": single.values, "two_seconds": double.values, "least_share": both.least.values,
                 "others_cores_one": alone.others.values, "others_cores_two": both.others.values})


def _cost(binaries, plan):
    devices = plan.scale_devices
    with running_gateway(binaries) as one, running_gateway(binaries, processes=2) as two:
        say(f"CPU time of a start of {devices:,} devices on one gateway and on two")
        alone, both = _Starts(one, devices), _Starts(two, devices)
        alone.warm_up()
        both.warm_up()
        double, single = alternately(plan.scale_cost_rounds, both.start, alone.start)
    yield Figure(
        "scale_cost", f"start of {devices:,} devices: CPU per push of two gateways together, of one = 1",
        ratios(double, single), 1.15, aim=1.0,
        notes=[f"Two gateways {double.median / devices * 1e6:.2f} µs a push, one "
               f"{single.median / devices * 1e6:.2f} µs. "
               f"Of the two the one that did less had {both.least.median * 100:.0f} %. "
               f"Redis took {alone.redis.median / devices * 1e6:.2f} µs a push with one, "
               f"{both.redis.median / devices * 1e6:.2f} µs with two, idle gateways' polling included."],
        details={"devices": devices, "one_cpu_seconds": single.values, "two_cpu_seconds": double.values,
                 "least_share": both.least.values, "one_redis_seconds": alone.redis.values,
                 "two_redis_seconds": both.redis.values, "one_seconds": alone.seconds.values,
                 "two_seconds": both.seconds.values})


def _small_beside_large(binaries, plan):
    devices = plan.scale_devices
    with running_gateway(binaries, **bounded(SHORT_LATENCY)) as gateway:
        gateway.import_devices(devices)
        other = gateway.make_tenant("small")
        gateway.import_devices(SMALL, other)
        say(f"starts of {SMALL} devices of another tenant, beside a start of {devices:,}")

        def small_starts():
            activities = [gateway.register(SMALL, other) for _ in range(plan.small_starts)]
            return lambda: [gateway.start(each, SMALL, tenant=other) * 1000 for each in activities]

        # The first opens the connections.
        small_starts()()
        alone = Samples(small_starts()())
        starts, large = small_starts(), gateway.register(devices)
        with _InBackground(lambda: gateway.start(large, devices)) as background:
            # Until its pushes fill all streams and queues.
            time.sleep(0.5)
            beside = Samples(starts())
            if not background.is_running:
                raise BenchFailure("the large start ended before the small ones")
    say("    " + " ".join(f"{each:.0f}" for each in beside.values) + " ms")
    yield Figure(
        "small_beside_large", f"start of {SMALL} devices while another tenant's of {devices:,} is under way",
        beside, 1000.0, "ms",
        notes=[f"The provider answers after {SHORT_LATENCY} ms, and all "
               f"{CONNECTIONS * streams(SHORT_LATENCY):,} streams are in use. "
               f"With nothing else under way it takes {alone.median:.0f} ms. "
               f"The large one took {background.result:.1f} s."],
        details={"devices": devices, "small": SMALL, "latency_ms": SHORT_LATENCY, "alone_ms": alone.values,
                 "large_seconds": background.result})


class _InBackground:
    """Runs something in a thread for the length of a `with` statement, which waits for its result."""

    def __init__(self, work):
        self._work = work
        self._failure = self.result = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        try:
            self.result = self._work()
        except BenchFailure as failure:
            self._failure = failure

    @property
    def is_running(self):
        return self._thread.is_alive()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            return
        self._thread.join()
        if self._failure:
            raise self._failure
