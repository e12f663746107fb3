"""What is done for many users at a time: an import, a stored segment, a long list of insider_ids.

Each has a bound. Beside the time stands what the gateway (or the import) and Redis took of it, since the time alone has all
that other work on the machine takes from it.
"""

import json
import os
import random
import threading
import time

from .failure import BenchFailure
from .figure import Figure
from .gateway import TYPE, USERS_PER_CALL, insider_id, running_gateway, udid
from .progress import say
from .redis_commands import processed_commands
from .samples import Samples
from .usage import Interference, processor_time

#: Devices a second that an import is to reach.
IMPORT_RATE = 200_000
#: Seconds in which a stored segment of a million users is to be registered; a smaller one in as much less.
SEGMENT_SECONDS = 5.0
SEGMENT_USERS = 1_000_000
#: Milliseconds for a register of `USERS_PER_CALL` insider_ids.
REGISTER_MILLISECONDS = 100.0
#: What each was on the machine of two cores on which the bounds were set, at nearly no other work.
BEFORE = {"import": 40_000.0, "segment": 15.0, "list": 190.0}
#: The name of the stored segment.
SEGMENT = "everybody"


def measure(binaries, plan):
    devices = plan.million
    with running_gateway(binaries) as gateway:
        yield from _imports(gateway, devices, plan.million_rounds)
        _store_segment(gateway, devices)
        alone = _neighbor(gateway, 2.0)
        yield from _segments(gateway, devices, plan.million_rounds, alone)
        yield _lists(gateway, min(devices, USERS_PER_CALL), plan.small_starts)


class _Work:
    """CPU time and commands between the begin and the end of a `with` statement."""

    def __init__(self, gateway, pids):
        self.gateway, self.pids = gateway, pids

    def __enter__(self):
        self.interference = Interference(self.pids.values())
        self.commands = processed_commands(self.gateway.socket)
        self.cpu = {name: processor_time(pid) for name, pid in self.pids.items()}
        self.begin = time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.begin
        self.cpu = {name: processor_time(pid) - self.cpu[name] for name, pid in self.pids.items()}
        self.commands = processed_commands(self.gateway.socket) - self.commands
        self.others = self.interference.share()

    def details(self, count):
        return {"seconds": self.seconds, "others_cores": self.others, "redis_commands_each": self.commands / count,
                **{f"{name}_us_each": cpu / count * 1e6 for name, cpu in self.cpu.items()}}


def _note(details):
    """What the last run took."""
    cpu = ", ".join(f"{name[:-len('_us_each')]} {value:.1f} µs" for name, value in details.items()
                    if name.endswith("_us_each"))
    return (f"CPU time for each in the last run: {cpu}; {details['redis_commands_each']:.2f} commands of Redis, those "
            f"in scripts counted. Other work used {details['others_cores']:.1f} cores meanwhile.")


# Imports

def _imports(gateway, devices, rounds):
    """The first of a tenant, where all devices are new, and the same once more, where all are known."""
    path = gateway.place.path("devices.ndjson")
    with open(path, "w", encoding="ascii") as file:
        numbers = random.Random(devices)
        for number in range(devices):
            file.write(
                f'{{"insider_id":"{insider_id(number)}","udid":"{udid(number)}","platform":"ios",'
                '"os_version":"18.1","push_opt_in":true,"gdpr_consent":true,"environment":"production",'
                f'"push_to_start_token":"{numbers.getrandbits(256):064x}"}}\n')
    fresh, again, works = Samples(), Samples(), []
    for round_number in range(rounds):
        # All but the last into tenants that nobody needs afterwards.
        tenant = gateway.tenant if round_number == rounds - 1 else gateway.make_tenant(f"import-{round_number}")
        for samples in (fresh, again):
            say(f"importing {devices:,} devices")
            with _Work(gateway, {"redis": gateway.redis.pid}) as work:
                _, cpu = gateway.place.run("fanfare devices import", [
                    gateway.place.binary("fanfare"), "devices", "import", path, "--json", "--tenant",
                    tenant["tenant_id"]], gateway.environment)
            work.cpu["import"] = cpu
            samples.add(devices / work.seconds)
            works.append(work.details(devices))
            say(f"    {samples.values[-1]:,.0f} a second. {_note(works[-1])}")
    os.remove(path)
    yield Figure(
        "import_rate", f"devices import: devices a second, {devices:,} of them, all new", fresh, float(IMPORT_RATE),
        "rate", more_is_better=True, bound="register", before=BEFORE["import"], notes=[_note(works[-2])], details={"devices": devices, "runs": works[::2]})
    yield Figure(
        "import_again_rate", "the same import once more: devices a second, all known", again, None,
        "rate", more_is_better=True, notes=[_note(works[-1])], details={"devices": devices, "runs": works[1::2]})


# Segments

def _store_segment(gateway, users):
    body = "".join(f"{insider_id(number)}\n" for number in range(users)).encode()
    status, reply = gateway.processes[0].request("PUT", f"/api/v1/segments/{SEGMENT}", body, "text/csv")
    if status != 200:
        raise BenchFailure(f"the segment was answered with {status}: {reply[:300].decode(errors='replace')}")


def _registered(reply, expected):
    if reply["registered_devices"] != expected:
        raise BenchFailure(f"a register of {expected} users was answered with {json.dumps(reply)[:300]}")


def _body(**whom):
    return {"activity_type": TYPE, "ends_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200)),
            **whom}


def _pids(gateway):
    return {"gateway": gateway.server.pid, "redis": gateway.redis.pid}


def _segments(gateway, users, rounds, alone):
    seconds, works = Samples(), []
    for _ in range(rounds):
        say(f"registering a stored segment of {users:,} users")
        with _Work(gateway, _pids(gateway)) as work:
            reply = gateway.call("register", _body(segment=SEGMENT))
        _registered(reply, users)
        seconds.add(work.seconds)
        works.append(work.details(users))
        say(f"    {work.seconds:.2f} s. {_note(works[-1])}")
    yield Figure(
        "segment_register", f"register of a stored segment of {users:,} users", seconds,
        SEGMENT_SECONDS * users / SEGMENT_USERS, "s", bound="register", before=BEFORE["segment"] * users / SEGMENT_USERS,
        notes=[_note(works[-1])],
        details={"users": users, "runs": works})
    beside = _beside(gateway, users)
    yield Figure(
        "beside_register", "register of one user while a stored segment is registered: 99 of 100 take less",
        Samples([_percentile(beside, 99)]), None, "ms",
        notes=[f"Half of them take less than {_percentile(beside, 50):.1f} ms. With nothing beside: half less than "
               f"{_percentile(alone, 50):.1f} ms, 99 of 100 less than {_percentile(alone, 99):.1f} ms."],
        details={"calls": len(beside), "half": _percentile(beside, 50), "longest": max(beside),
                 "alone_half": _percentile(alone, 50), "alone_99": _percentile(alone, 99)})


def _beside(gateway, users):
    """Milliseconds of calls that are made while a segment is registered, one after the other."""
    replies = []
    large = threading.Thread(
        target=lambda: replies.append(gateway.call("register", _body(segment=SEGMENT))), daemon=True)
    large.start()
    times = _small_calls(gateway, large.is_alive)
    large.join()
    if not replies:
        raise BenchFailure("the register of the segment beside small calls failed")
    _registered(replies[0], users)
    return times


def _neighbor(gateway, seconds):
    """The same with nothing beside."""
    end = time.monotonic() + seconds
    return _small_calls(gateway, lambda: time.monotonic() < end)


def _small_calls(gateway, goes_on):
    times = []
    # The first one would be over before the large one begins.
    while goes_on() or not times:
        begin = time.monotonic()
        _registered(gateway.call("register", _body(insider_ids=[insider_id(len(times) % 1000)])), 1)
        times.append((time.monotonic() - begin) * 1000)
        time.sleep(0.005)
    return times


def _percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


# Lists

def _lists(gateway, users, rounds):
    times, works = Samples(), []
    for _ in range(rounds):
        body = _body(insider_ids=[insider_id(number) for number in range(users)])
        with _Work(gateway, _pids(gateway)) as work:
            reply = gateway.call("register", body)
        _registered(reply, users)
        times.add(work.seconds * 1000)
        works.append(work.details(users))
    say(f"    register of {users:,} insider_ids: {times.median:.0f} ms. {_note(works[-1])}")
    return Figure(
        "list_register", f"register of {users:,} insider_ids", times,
        REGISTER_MILLISECONDS * users / USERS_PER_CALL, "ms", bound="register",
        before=BEFORE["list"] * users / USERS_PER_CALL, notes=[_note(works[-1])],
        details={"users": users, "runs": works})
