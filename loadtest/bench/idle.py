"""What one gateway with nothing to do costs while much lives: activities, schedules, webhooks.

    cd loadtest && python3 -m bench.idle --binaries ../.build/release

Everything is made by calls of the API. The gateway is then left alone until what follows from that is done, and measured for
some time. Nothing is written: the figures are printed.
"""

import argparse
import http.client
import os
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import machine
from .failure import BenchFailure
from .gateway import TYPE, content, insider_id, running_gateway
from .progress import say
from .provider import compact
from .redis_commands import calls_by_command
from .usage import processor_time

#: What a gateway may take (the second line: with all that lives).
MOST_COMMANDS_ALONE = 100
MOST_COMMANDS, MOST_CORES = 500, 0.01
#: As many as a tenant may have.
WEBHOOKS_PER_TENANT = 10
#: Devices in turn have all activities, so that registering them takes no time.
DEVICES = 10_000
CONNECTIONS = 16
#: Longer than what follows from the last call takes: outcomes, the ends of jobs, the first sweeps.
REST = 15


def arguments():
    parser = argparse.ArgumentParser(prog="bench.idle", description="Measures an idle gateway with much that lives.")
    parser.add_argument("--binaries", default=os.path.join(os.path.dirname(__file__), "../../.build/release"))
    parser.add_argument("--activities", type=int, default=100_000, help="that are started, of one device each")
    parser.add_argument("--schedules", type=int, default=10_000, help="that wait, one for each of so many activities")
    parser.add_argument("--webhooks", type=int, default=1_000)
    parser.add_argument("--webhooks-per-tenant", type=int, default=WEBHOOKS_PER_TENANT, metavar="N")
    parser.add_argument("--seconds", type=int, default=60, help="how long each measurement takes")
    return parser.parse_args()


@dataclass
class Cost:
    """Of one gateway and its Redis, a second."""

    seconds: float
    gateway_cores: float
    redis_cores: float
    calls: dict = field(default_factory=dict)

    @property
    def commands(self):
        return sum(self.calls.values()) / self.seconds

    def text(self):
        first = sorted(self.calls.items(), key=lambda each: -each[1])[:8]
        names = ", ".join(f"{name} {count / self.seconds:.1f}" for name, count in first)
        return (f"{self.commands:.1f} Redis commands a second (those within scripts included), "
                f"{self.gateway_cores * 100:.2f} % of a core for the gateway, {self.redis_cores * 100:.2f} % for Redis\n"
                f"    {names}")


@contextmanager
def sealing_key():
    """The name of a file with what secrets of webhooks are sealed with."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(os.urandom(32))
        file.flush()
        yield file.name


def measured(gateway, seconds):
    begin, before = time.monotonic(), calls_by_command(gateway.socket)
    own, redis = processor_time(gateway.server.pid), processor_time(gateway.redis.pid)
    time.sleep(seconds)
    own, redis = processor_time(gateway.server.pid) - own, processor_time(gateway.redis.pid) - redis
    passed = time.monotonic() - begin
    calls = {name: count - before.get(name, 0) for name, count in calls_by_command(gateway.socket).items()}
    # The question itself.
    calls["info"] = calls.get("info", 0) - 1
    return Cost(passed, own / passed, redis / passed, {name: count for name, count in calls.items() if count > 0})


def in_parallel(count, work):
    """Calls `work(connection, number)` for each number below `count`, on a few connections."""
    failures, numbers, lock = [], iter(range(count)), threading.Lock()

    def run(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            while not failures:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                work(connection, number)
        except (BenchFailure, OSError, http.client.HTTPException) as failure:
            failures.append(failure)
        finally:
            connection.close()

    return run, failures


def make(gateway, count, what, work):
    """Does that, and says how long it took."""
    begin = time.monotonic()
    run, failures = in_parallel(count, work)
    threads = [threading.Thread(target=run, args=(gateway.processes[0].port,)) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise BenchFailure(f"{what}: {failures[0]}")
    say(f"{count:,} {what} in {time.monotonic() - begin:.0f} s")


def call(connection, path, body, key, expected=200):
    connection.request("POST", path, compact(body), {"Content-Type": "application/json", "X-Api-Key": key})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status != expected:
        raise BenchFailure(f"{path} was answered with {reply.status}: {text[:300].decode(errors='replace')}")
    return text


def make_activities(gateway, count):
    key, ids = gateway.tenant["api_key"], [None] * count
    ends_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))

    def start(connection, number):
        users = [insider_id(number % DEVICES)]
        text = call(connection, "/api/v1/live-activity/register",
                    {"activity_type": TYPE, "insider_ids": users, "ends_at": ends_at}, key)
        ids[number] = text.split(b'"activity_id":"')[1].split(b'"')[0].decode()
        call(connection, "/api/v1/live-activity/start",
             {"activity_id": ids[number], "activity_type": TYPE, "content": content(100)}, key)

    make(gateway, count, "activities", start)
    return ids


def make_schedules(gateway, ids):
    key = gateway.tenant["api_key"]

    def schedule(connection, number):
        call(connection, "/api/v1/live-activity/schedule",
             {"activity_id": ids[number], "event": "update", "offset": 40_000 + number,
              "content": {"content_state": {"text": "later"}}}, key)

    make(gateway, len(ids), "schedules", schedule)


def make_webhooks(gateway, count, per_tenant):
    tenants = [gateway.make_tenant(f"listener-{number}") for number in range((count + per_tenant - 1) // per_tenant)]

    def add(connection, number):
        call(connection, "/api/v1/webhooks", {"url": f"https://hooks.example.com/{number}"},
             tenants[number // per_tenant]["api_key"], expected=201)

    make(gateway, count, f"webhooks of {len(tenants):,} tenants", add)


def main():
    options = arguments()
    try:
        cores = machine.keep_to_two_cores()
        say(machine.description(cores))
        with sealing_key() as file, running_gateway(
                options.binaries, settings={"FANFARE_EVENTS_SEALING_KEY_FILE": file}) as gateway:
            time.sleep(5)
            alone = measured(gateway, options.seconds)
            say(f"alone: {alone.text()}")
            gateway.import_devices(min(DEVICES, options.activities))
            ids = make_activities(gateway, options.activities)
            make_schedules(gateway, ids[:options.schedules])
            make_webhooks(gateway, options.webhooks, options.webhooks_per_tenant)
            time.sleep(REST)
            many = measured(gateway, options.seconds)
            say(f"with all of that: {many.text()}")
    except BenchFailure as failure:
        print(f"bench.idle: {failure}", file=sys.stderr)
        return 1
    kept = (alone.commands < MOST_COMMANDS_ALONE and many.commands < MOST_COMMANDS
            and many.gateway_cores < MOST_CORES)
    bounds = (f"{MOST_COMMANDS_ALONE} commands a second alone, {MOST_COMMANDS} and {MOST_CORES * 100:.0f} % of a core with "
              "all of that")
    print(f"{'within' if kept else 'beyond'} the bounds: {bounds}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
