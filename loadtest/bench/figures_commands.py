"""What broadcasts, and gateways that have nothing to do, ask of Redis."""

import time

from .figure import Figure
from .gateway import running_gateway
from .played_devices import PlayedDevices
from .progress import say
from .redis_commands import Monitor, counted, processed_commands, scripts
from .samples import Samples
from .usage import processor_time

#: How many Redis commands 1,000 devices of each kind may take; None: it is told for planning.
TARGETS = {"start": 30.0, "update": None, "end": None}
CONNECTIONS = 64
#: What a gateway still does once it has answered (it drops the pages of the start) counts as well.
AFTERWARDS = 0.5


def measure(binaries, plan):
    with running_gateway(binaries) as gateway:
        idle = _Idle(gateway, plan.idle_seconds)
        devices = PlayedDevices(gateway, plan.partition_devices)
        say(f"Redis commands of broadcasts to {devices.count:,} devices")
        devices.register()
        # In turn: commands are counted while Redis is monitored, CPU time is taken while it is not.
        _broadcasts(gateway, devices, lambda work: work())
        commands, seconds = [], []
        for _ in range(plan.command_rounds):
            commands.append(_broadcasts(gateway, devices, lambda work: _monitored(gateway, work, idle.polling)))
            seconds.append(_broadcasts(gateway, devices, lambda work: _timed(gateway, work)))
    yield idle.figure()
    for kind in TARGETS:
        yield _figure(kind, devices.count, [each[kind] for each in commands], [each[kind] for each in seconds])


def _broadcasts(gateway, devices, measured):
    """A whole life of an activity. What `measured` gives for each of its broadcasts."""
    identifier = gateway.register(devices.count, name=devices.insider_id)
    content = {"title": "Kick-off", "message": "The match begins", "content_state": {}, "attributes": {}}
    results = {"start": measured(
        lambda: gateway.broadcast("start", identifier, devices.count, {"content": content}))}
    devices.sync(gateway.url, identifier, CONNECTIONS)
    for kind in ("update", "end"):
        results[kind] = measured(lambda kind=kind: gateway.broadcast(kind, identifier, devices.count))
    return results


def _monitored(gateway, work, polling):
    with Monitor(gateway.socket) as monitor:
        work()
        time.sleep(AFTERWARDS)
    return counted(monitor.lines, polling)


def _timed(gateway, work):
    """CPU seconds of Redis, without those that it takes in as much time afterwards with nothing but polling."""
    begin, before = time.monotonic(), processor_time(gateway.redis.pid)
    work()
    time.sleep(AFTERWARDS)
    then, between = time.monotonic(), processor_time(gateway.redis.pid)
    time.sleep(then - begin)
    polling = (processor_time(gateway.redis.pid) - between) * (then - begin) / (time.monotonic() - then)
    return between - before - polling


class _Idle:
    """What one gateway without any broadcast asks of Redis."""

    def __init__(self, gateway, seconds):
        say(f"a gateway with nothing to do, for {seconds} s")
        with Monitor(gateway.socket) as monitor:
            time.sleep(1)
        #: The scripts that it polls with.
        self.polling = scripts(monitor.lines)
        self.rates = Samples()
        redis, own = processor_time(gateway.redis.pid), processor_time(gateway.server.pid)
        begin = last = time.monotonic()
        commands = processed_commands(gateway.socket)
        while last - begin < seconds:
            time.sleep(1)
            # One of them is the question itself.
            now, count = time.monotonic(), processed_commands(gateway.socket)
            self.rates.add((count - commands - 1) / (now - last))
            last, commands = now, count
        self.redis_share = (processor_time(gateway.redis.pid) - redis) / (last - begin)
        self.own_share = (processor_time(gateway.server.pid) - own) / (last - begin)
        seen = counted(monitor.lines, set())
        self.sent_share = seen.sent / max(1, seen.sent + seen.in_scripts)

    def figure(self):
        sent = self.rates.median * self.sent_share
        return Figure(
            "idle_commands", "idle gateway: Redis commands a second", self.rates, None, "count",
            notes=[f"Those within scripts included; the gateway sends {sent:,.0f} of them. "
                   f"They take {self.redis_share * 100:.1f} % of a core of Redis and {self.own_share * 100:.1f} % of "
                   "one of the gateway."],
            details={"redis_cores": self.redis_share, "gateway_cores": self.own_share, "sent_share": self.sent_share})


def _figure(kind, devices, commands, seconds):
    thousands = devices / 1000
    totals = Samples((each.sent + each.in_scripts) / thousands for each in commands)
    sent = Samples(each.sent / thousands for each in commands)
    cost = Samples(each / devices * 1e6 for each in seconds)
    return Figure(
        f"commands_{kind}", f"Redis commands for each 1,000 devices of a whole {kind}", totals, TARGETS[kind], "count",
        notes=[f"Of {devices:,} devices. Gateways send {sent.median:.1f} of them, the others are within scripts. Redis "
               f"takes {cost.median:.2f} µs of CPU time a device. Polling is not in it."],
        details={"devices": devices, "sent_per_thousand": sent.values, "redis_us_per_device": cost.values,
                 "polling_meanwhile": [each.polling for each in commands]})
