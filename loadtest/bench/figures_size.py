"""What an update costs over the number of its devices, and over the number of activities that live."""

import hashlib
import time
from dataclasses import asdict, dataclass

from . import keep_alive, redis_keys
from .figure import Figure
from .gateway import content, insider_id, running_gateway, udid
from .one_device import OneDeviceActivities
from .plot import Panel
from .progress import say
from .provider import compact
from .samples import Samples
from .usage import processor_time

#: What a gateway still does once it has answered counts as well.
AFTERWARDS = 0.3
#: Reports are sent in pieces of so many.
_PIECE = 50_000
_CONNECTIONS = 64
#: Activities whose memory can be told.
FEWEST = 100


@dataclass
class Cost:
    """Of one size, for a call."""

    size: int
    calls: int
    milliseconds: float
    gateway_us: float
    redis_us: float
    commands: float
    bytes_each: float | None = None


def measure(binaries, plan):
    devices = _over_devices(binaries, plan)
    activities = _over_activities(binaries, plan)
    text = table(devices, "devices") + "\n\n" + table(activities, "live activities")
    say("cost over size\n" + text)
    few, many = devices[0], devices[-1]
    yield Figure(
        "size", f"CPU of the gateway for each device of an update, {many.size:,} devices, of {few.size:,} = 1",
        Samples([many.gateway_us / many.size / few.gateway_us]), None, notes=[
            f"An update costs {few.gateway_us:.0f} µs of the gateway for {few.size:,} device, and "
            f"{many.gateway_us / many.size:.2f} µs a device for {many.size:,}; with {activities[-1].size:,} live activities "
            f"{activities[-1].gateway_us:.0f} µs for one device, with {activities[0].size:,} "
            f"{activities[0].gateway_us:.0f} µs."],
        details={"devices": [asdict(each) for each in devices], "activities": [asdict(each) for each in activities],
                 "table": text}, panels=panels(devices, activities))


# Devices


def _over_devices(binaries, plan):
    sizes = [10 ** power for power in range(plan.size_decades + 1)]
    with running_gateway(binaries) as gateway:
        gateway.import_devices(sizes[-1])
        gateway.lift_device_limits()
        return [_of_devices(gateway, size) for size in sizes]


def _of_devices(gateway, size):
    """Activities of so many devices, each updated twice: of one more updates would wait for their turn."""
    count = {1: 50, 10: 50, 100: 20, 1000: 5}.get(size, 1)
    say(f"updates of {size:,} devices, of {count} activities")
    identifiers = []
    for _ in range(count):
        identifier = gateway.register(size)
        gateway.broadcast("start", identifier, size, {"content": content(100)})
        _sync(gateway, identifier, size)
        identifiers.append(identifier)
    # Once without counting.
    gateway.broadcast("update", identifiers[0], size)
    time.sleep(2)

    def work():
        return [gateway.broadcast("update", each, size) for _ in range(2) for each in identifiers]

    return _measured(gateway, size, work)


def _sync(gateway, identifier, size):
    port, headers = gateway.processes[0].port, {"X-Sdk-Key": gateway.tenant["sdk_key"]}
    for begin in range(0, size, _PIECE):
        requests = [
            keep_alive.request(port, "/api/v1/sdk/sync", compact({
                "activity_id": identifier, "insider_id": insider_id(n), "udid": udid(n),
                "token": hashlib.sha256(f"{identifier} {n}".encode()).hexdigest()}), headers)
            for n in range(begin, min(size, begin + _PIECE))]
        keep_alive.all_of(port, requests, _CONNECTIONS)


# Activities


def _over_activities(binaries, plan):
    sizes = [10 ** power for power in range(plan.size_activity_decades + 1)]
    costs, made = [], 0
    with running_gateway(binaries) as gateway:
        gateway.import_devices(sizes[-1])
        # Scripts, connections and the provider's token are there before memory is looked at.
        first = OneDeviceActivities(gateway, 1)
        first.make()
        before = redis_keys.used_memory(gateway.socket)
        for size in sizes:
            more = OneDeviceActivities(gateway, size - made, made)
            more.make()
            made = size
            time.sleep(2)
            # Of few activities it is what else Redis takes and gives back.
            taken = redis_keys.used_memory(gateway.socket) - before
            size_bytes = taken / size if size >= FEWEST and taken > 0 else None
            updates = more.updates()[:500]
            port = gateway.processes[0].port

            def work(updates=updates, port=port):
                return keep_alive.one_by_one(port, updates)

            cost = _measured(gateway, size, work)
            cost.bytes_each = size_bytes
            costs.append(cost)
    return costs


# Both


def _measured(gateway, size, work):
    pids = (gateway.server.pid, gateway.redis.pid)
    # What a gateway does and asks with nothing to do is taken off.
    quiet, quiet_work, quiet_length = _observed(gateway, pids, lambda: time.sleep(1))
    quiet, quiet_work = quiet / quiet_length, [each / quiet_length for each in quiet_work]
    seconds = []
    commands, cost, length = _observed(gateway, pids, lambda: seconds.extend(work()))
    calls = len(seconds)
    own = [max(0.0, each - still * length) / calls for each, still in zip(cost, quiet_work)]
    result = Cost(size, calls, Samples(seconds).median * 1000, own[0] * 1e6, own[1] * 1e6,
                  max(0.0, commands - quiet * length) / calls)
    say(f"    {size:,}: {result.milliseconds:.2f} ms, gateway {result.gateway_us:,.0f} µs, "
        f"Redis {result.redis_us:,.0f} µs, {result.commands:,.1f} commands")
    return result


def _observed(gateway, pids, work):
    """Commands and CPU seconds of each process, of the work and what is left to do after it; and how long that was."""
    before, counts = [processor_time(pid) for pid in pids], redis_keys.command_counts(gateway.socket)
    begin = time.monotonic()
    work()
    time.sleep(AFTERWARDS)
    after = redis_keys.command_counts(gateway.socket)
    commands = sum(after.values()) - sum(counts.values()) - 1
    return commands, [processor_time(pid) - then for pid, then in zip(pids, before)], time.monotonic() - begin


def table(costs, what):
    """For people: a line for each size."""
    head = (what, "calls", "ms", "gateway µs", "µs each", "Redis µs", "commands", "bytes each")
    rows = [head] + [
        (f"{each.size:,}", f"{each.calls}", f"{each.milliseconds:,.2f}", f"{each.gateway_us:,.0f}",
         f"{each.gateway_us / each.size:,.2f}" if what == "devices" else "", f"{each.redis_us:,.0f}",
         f"{each.commands:,.1f}", "" if each.bytes_each is None else f"{each.bytes_each:,.0f}") for each in costs]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def panels(devices, activities):
    """The plots of both."""
    def line(costs, value):
        return [(each.size, max(value(each), 1e-3)) for each in costs if value(each) is not None]

    return [
        Panel("An update: time, ms", "devices", {"call": line(devices, lambda each: each.milliseconds)}),
        Panel("An update: CPU for each device, µs", "devices", {
            "gateway": line(devices, lambda each: each.gateway_us / each.size),
            "Redis": line(devices, lambda each: each.redis_us / each.size)}),
        Panel("An update: Redis commands", "devices", {"commands": line(devices, lambda each: each.commands)}),
        Panel("An update of one device: CPU, µs", "live activities", {
            "gateway": line(activities, lambda each: each.gateway_us),
            "Redis": line(activities, lambda each: each.redis_us)}),
        Panel("An update of one device: time, ms", "live activities", {
            "call": line(activities, lambda each: each.milliseconds)}),
        Panel("Redis, bytes an activity", "live activities", {
            "bytes": line(activities, lambda each: each.bytes_each)}),
    ]
