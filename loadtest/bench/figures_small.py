"""What an update of an activity of one device costs: order tracking is a million of them."""

import json
import time

from . import keep_alive, redis_keys, redis_yardstick, wrk
from .failure import BenchFailure
from .figure import Figure
from .gateway import running_gateway
from .nginx import Nginx
from .one_device import OneDeviceActivities
from .progress import say
from .redis_commands import Monitor, counted, scripts
from .samples import Samples
from .usage import Interference, processor_time

#: Calls under way at a time where it is about the most that there can be.
CONNECTIONS = 64
#: As many as the open loop may have under way; more are late.
OPEN_CONNECTIONS = 256
#: What a gateway still does once it has answered counts as well.
AFTERWARDS = 0.5
BYTES_KEPT = "bytes of Redis kept for more than an hour by a dead activity of one device, beside its record"


def measure(binaries, plan):
    with running_gateway(binaries) as gateway:
        count = plan.small_activities
        gateway.import_devices(count)
        yield from _memory(gateway, plan.small_memory_activities)
        activities = OneDeviceActivities(gateway, count - plan.small_memory_activities,
                                         plan.small_memory_activities)
        activities.make()
        updates = activities.updates()
        nginx = Nginx(gateway.place, json.dumps({"status": "success", "text": "x" * 300}, separators=(",", ":")))
        yield from _alone(gateway, nginx, updates, plan)
        yield _commands(gateway, updates, plan)
        saturated = _Saturated(gateway, nginx, updates, plan)
        yield from saturated.figures()
        yield _half(gateway, updates, saturated.rates.highest / 2, plan)


# Memory


def _memory(gateway, count):
    """What activities take while they run, and what is left of them."""
    activities = OneDeviceActivities(gateway, count)
    socket = gateway.socket
    # Connections, scripts and the provider's token are there before it is counted.
    OneDeviceActivities(gateway, 20).make()
    time.sleep(AFTERWARDS)
    before, keys_before = redis_keys.used_memory(socket), redis_keys.kinds(socket)
    activities.make()
    time.sleep(AFTERWARDS)
    running = (redis_keys.used_memory(socket) - before) / count
    kinds = redis_keys.difference(redis_keys.kinds(socket), keys_before, count)
    _say_kinds("an activity of one device, started, synced and updated once", kinds)
    activities.end()
    time.sleep(AFTERWARDS)
    left = redis_keys.difference(redis_keys.kinds(socket), keys_before, count)
    _say_kinds("once it has ended", left)
    dead = (redis_keys.used_memory(socket) - before) / count
    lasting = {name: each for name, each in left.items() if each["lasting_keys"] >= 0.001 and not is_record(name)}
    yield Figure(
        "small_memory", "bytes of Redis an activity of one device takes while it runs", Samples([running]), 1200.0,
        "bytes", bound="small", before=4200.0,
        notes=[f"What used_memory grows by, of {count:,} activities of users who were known before: registered, "
               "started, synced and updated once. By kinds of keys: " + _told(kinds, "keys", "bytes")],
        details={"activities": count, "kinds": kinds})
    yield Figure(
        "small_left", BYTES_KEPT, Samples([sum(each["lasting_bytes"] for each in lasting.values())]), 0.0, "bytes",
        bound="small",
        notes=[f"{dead:.0f} bytes are taken right after the end. Kept for more than an hour, records included: "
               + _told(left, "lasting_keys", "lasting_bytes")],
        details={"activities": count, "kinds": left, "used_memory_after_the_end": dead})


def is_record(form):
    """Whether keys of this form are the record of an activity, its broadcasts or its devices, which can be read for a day.

    Of the devices (`fanfare:{ID.N}:c`) who they are, how each stands, what became of each, and how many have synced when.
    """
    return form in (
        "fanfare:{N}:a:ID", "fanfare:{N}:a:ID:b:ID", "fanfare:{N}:a:ID:ended", "fanfare:{N}:a:ID:recent",
        "fanfare:{ID.N}:c", "fanfare:{b:ID}", "fanfare:{l:ID:N}", "fanfare:{l:ID:N}:N", "fanfare:{l:ID:N}:parts")


def _told(kinds, keys, size):
    return "; ".join(f"{name} {each[keys]:.2f} keys {each[size]:.0f} bytes" for name, each in kinds.items()
                     if each[keys] >= 0.001) + "."


def _say_kinds(title, kinds):
    say(f"    {title}, by kinds of keys (for each activity; lasting: for more than an hour)")
    for name, each in kinds.items():
        say(f"        {each['bytes']:7.1f} bytes {each['keys']:6.3f} keys, lasting {each['lasting_bytes']:7.1f} bytes "
            f"{each['lasting_keys']:6.3f} keys  {name}")


# One call at a time


def _alone(gateway, nginx, updates, plan):
    calls = plan.small_alone
    say(f"{calls:,} updates one after the other, and as many requests to nginx and pushes to the mock")
    port, pids = gateway.processes[0].port, {"gateway": gateway.server.pid, "redis": gateway.redis.pid}
    requests = [updates[number % len(updates)] for number in range(calls)]
    keep_alive.one_by_one(port, requests[:100])
    interference = Interference(each.pid for each in gateway.servers)
    before = {name: processor_time(pid) for name, pid in pids.items()}
    took = keep_alive.one_by_one(port, requests)
    work = {name: (processor_time(pid) - before[name]) / calls for name, pid in pids.items()}
    others = interference.share()
    plain = keep_alive.request(nginx.port, "/", b"{}", {})
    yardstick = keep_alive.one_by_one(nginx.port, [plain] * calls)
    provider = _provider_times(gateway, calls)
    own = keep_alive.percentile(provider, 0.5)
    for share, target, key in ((0.5, 0.8, "p50"), (0.99, 2.0, "p99")):
        value = (keep_alive.percentile(took, share) - own) * 1000
        yield Figure(
            f"small_alone_{key}", f"update of one device when alone, beside the provider's own time, {key}",
            Samples([value]), target, "fine ms", bound="small", before=3.0 if key == "p50" else None,
            notes=[f"{calls:,} calls one after the other: {_percentiles(took)} to the whole answer, less "
                   f"{own * 1000:.3f} ms, which is the p50 of a push by h2load to the same mock "
                   f"(p99 {keep_alive.percentile(provider, 0.99) * 1000:.3f}). nginx takes {_percentiles(yardstick)} by "
                   f"the same client. A call costs {work['gateway'] * 1e6:.0f} µs of the gateway's CPU and "
                   f"{work['redis'] * 1e6:.0f} µs of Redis, polling included. Other work used {others:.1f} cores."],
            details={"calls": calls, "provider_p50_ms": own * 1000, "gateway_us": work["gateway"] * 1e6,
                     "redis_us": work["redis"] * 1e6})


def _percentiles(seconds):
    return ", ".join(f"{name} {keep_alive.percentile(seconds, share) * 1000:.3f}"
                     for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("most", 1.0))) + " ms"


def _provider_times(gateway, pushes):
    """Seconds of each of so many pushes that h2load makes one after the other."""
    place, log, body = gateway.place, gateway.place.path("h2load.log"), gateway.place.path("small-body")
    with open(body, "w", encoding="ascii") as file:
        file.write('{"aps":{"timestamp":1790000000,"event":"update","content-state":{"text":"Out for delivery"}}}')
    arguments = ["h2load", "-n", str(pushes), "-c", "1", "-m", "1", "-t", "1", "-d", body, f"--log-file={log}"]
    for name, value in gateway.provider.header_fields().items():
        arguments += ["-H", f"{name}: {value}"]
    place.run("h2load", arguments + [f"{gateway.provider.url}/3/device/{'ab' * 32}"])
    with open(log, encoding="ascii") as file:
        return read_times(file.read())


def read_times(text):
    """h2load's log has a line a request: when it began, its status, and its microseconds."""
    lines = [line.split("\t") for line in text.splitlines()]
    wrong = [line for line in lines if len(line) != 3 or line[1] != "200"]
    if wrong or not lines:
        raise BenchFailure(f"pushes of h2load were not accepted: {wrong[:1]}")
    return [int(line[2]) / 1e6 for line in lines]


# Commands


def _commands(gateway, updates, plan):
    calls = min(plan.small_commands, len(updates))
    say(f"Redis commands of {calls:,} updates, one after the other")
    port = gateway.processes[0].port
    with Monitor(gateway.socket) as monitor:
        time.sleep(1)
    polling = scripts(monitor.lines)
    samples, kinds = Samples(), {}
    for _ in range(plan.command_rounds):
        begin, before = time.monotonic(), redis_keys.command_counts(gateway.socket)
        keep_alive.one_by_one(port, updates[:calls])
        time.sleep(AFTERWARDS)
        then, after = time.monotonic(), redis_keys.command_counts(gateway.socket)
        # Gateways look for work more often as long as they have just had some.
        time.sleep(1)
        idle = (_all(redis_keys.command_counts(gateway.socket)) - _all(after) - 1) / (time.monotonic() - then)
        kinds = {name: (count - before.get(name, 0)) / calls for name, count in after.items()
                 if count != before.get(name, 0)}
        samples.add((_all(after) - _all(before) - 1 - idle * (then - begin)) / calls)
    with Monitor(gateway.socket) as monitor:
        keep_alive.one_by_one(port, updates[:200])
        time.sleep(AFTERWARDS)
    seen = counted(monitor.lines, polling)
    polls = f"{len(polling)} scripts" if len(polling) != 1 else "the script"
    most = sorted(kinds.items(), key=lambda each: -each[1])
    return Figure(
        "small_commands", "Redis commands for an update of one device, those within scripts included", samples, 15.0,
        "count", bound="small", before=96.0,
        notes=[f"What INFO commandstats grows by, less what the gateway asks in as long a time right afterwards "
               f"({idle:,.0f} a second). By MONITOR the gateway sends {seen.sent / 200:.1f} and scripts have {seen.in_scripts / 200:.1f}, without "
               f"{polls} that it polls with. Most often, polling included: "
               + ", ".join(f"{name} {count:.2f}" for name, count in most[:14]) + "."],
        details={"calls": calls, "idle_a_second": idle, "by_command": dict(most), "sent": seen.sent / 200,
                 "in_scripts": seen.in_scripts / 200})


def _all(counts):
    return sum(counts.values())


# As many as there can be


class _Saturated:
    """Rounds of as many updates as two cores can do, each beside nginx and redis-benchmark."""

    def __init__(self, gateway, nginx, updates, plan):
        self.connections, self.seconds = CONNECTIONS, plan.small_seconds
        say(f"as many updates as there can be for {self.seconds} s, beside nginx and redis-benchmark, "
            f"{plan.small_rounds} times")
        self.rates, self.gateway, self.redis, self.mock, self.client = (Samples() for _ in range(5))
        self.nginx_rates, self.nginx, self.set_rates, self.sets = (Samples() for _ in range(4))
        self.others = Samples()
        port = gateway.processes[0].port
        plain = keep_alive.request(nginx.port, "/", b"{}", {})
        # Once without counting: connections, and what is made at the first call.
        wrk.run(gateway.place, port, updates, CONNECTIONS, 1)
        for _ in range(plan.small_rounds):
            self._round(gateway, port, updates)
            before = processor_time(nginx.worker)
            load = wrk.run(gateway.place, nginx.port, [plain], CONNECTIONS, 2)
            self.nginx.add((processor_time(nginx.worker) - before) / load.calls * 1e6)
            self.nginx_rates.add(load.rate)
            cost, rate = redis_yardstick.sets(gateway.place, gateway.redis, gateway.socket, CONNECTIONS)
            self.sets.add(cost * 1e6)
            self.set_rates.add(rate)
            say(f"    {self.rates.values[-1]:,.0f} updates a second; an update: gateway {self.gateway.values[-1]:.0f} µs, "
                f"Redis {self.redis.values[-1]:.0f}, mock {self.mock.values[-1]:.0f}, wrk {self.client.values[-1]:.0f}; "
                f"nginx {self.nginx.values[-1]:.1f} µs, SET {self.sets.values[-1]:.1f} µs")

    def _round(self, gateway, port, updates):
        pids = [gateway.server.pid, gateway.redis.pid, gateway.provider.server.pid]
        interference = Interference(pids)
        before = [processor_time(pid) for pid in pids]
        load = wrk.run(gateway.place, port, updates, CONNECTIONS, self.seconds)
        self.others.add(interference.share() - load.processor_seconds / load.seconds)
        time.sleep(AFTERWARDS)
        work = [(processor_time(pid) - then) / load.calls * 1e6 for pid, then in zip(pids, before)]
        if load.refused or load.errors:
            raise BenchFailure(f"of {load.calls:,} updates {load.refused:,} were refused, {load.errors:,} had no answer")
        for samples, value in zip((self.gateway, self.redis, self.mock), work):
            samples.add(value)
        self.rates.add(load.rate)
        self.client.add(load.processor_seconds / load.calls * 1e6)

    def figures(self):
        yardsticks = (f"In the same run nginx takes {self.nginx.median:.1f} µs for a fixed text "
                      f"({self.nginx_rates.median:,.0f} a second with wrk), Redis {self.sets.median:.1f} µs for "
                      f"redis-benchmark's SET of 400 bytes ({self.set_rates.median:,.0f} a second).")
        details = {
            "connections": self.connections, "seconds": self.seconds, "rates": self.rates.values,
            "gateway_us": self.gateway.values, "redis_us": self.redis.values, "mock_us": self.mock.values,
            "wrk_us": self.client.values, "nginx_us": self.nginx.values, "nginx_rates": self.nginx_rates.values,
            "set_us": self.sets.values, "set_rates": self.set_rates.values, "others_cores": self.others.values}
        yield Figure(
            "small_cpu", "CPU of the gateway for an update of one device", self.gateway, 120.0, "µs", bound="small",
            before=570.0, notes=[f"At full load on {self.connections} connections, {AFTERWARDS} s after the last answer "
                                 f"included: {self.gateway.median / self.nginx.median:.1f} times nginx. " + yardsticks],
            details=details)
        yield Figure(
            "small_redis", "CPU of Redis for an update of one device", self.redis, None, "µs", bound="small",
            notes=[f"{self.redis.median / self.sets.median:.1f} times a SET of redis-benchmark."])
        yield Figure(
            "small_rate", "updates of one device a second, everything on two cores", self.rates, 8000.0, "rate",
            more_is_better=True, bound="small", before=1700.0,
            notes=[f"Of an update the gateway has {self.gateway.median:.0f} µs, Redis {self.redis.median:.0f}, the mock "
                   f"{self.mock.median:.0f} and wrk {self.client.median:.0f}; other work used "
                   f"{max(0, self.others.median):.1f} cores. " + yardsticks])


def _half(gateway, updates, rate, plan):
    """The latency while half of the most is asked for."""
    count = int(rate * plan.small_seconds)
    say(f"{rate:,.0f} updates a second for {plan.small_seconds} s, each at its time")
    requests = [updates[number % len(updates)] for number in range(count)]
    loop = keep_alive.at_times(
        gateway.processes[0].port, requests, keep_alive.poisson(count, rate, seed=1), OPEN_CONNECTIONS)
    late = keep_alive.percentile(loop.late, 0.99) * 1000
    return Figure(
        "small_half_p99", "update of one device at half of the highest rate, p99",
        Samples([keep_alive.percentile(loop.waited, 0.99) * 1000]), 20.0, "ms", bound="small",
        notes=[f"{count:,} calls, {count / loop.seconds:,.0f} a second, at times that know nothing of each other, on at "
               f"most {OPEN_CONNECTIONS} connections: {_percentiles(loop.waited)} from the time due to the whole answer. "
               f"The generator sent 99 % of them within {late:.2f} ms of their time, and took "
               f"{loop.processor_seconds / count * 1e6:.0f} µs of CPU a call."],
        details={"rate": rate, "calls": count, "late_p99_ms": late})
