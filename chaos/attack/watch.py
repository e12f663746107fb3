"""Looks at gateways and Redis all the time: resident memory, descriptors, keys."""

import dataclasses
import os
import threading
import time

from harness.resp import Redis, RedisError


@dataclasses.dataclass(frozen=True)
class Reading:
    at: float
    #: Of each gateway.
    resident: tuple
    descriptors: tuple
    redis_bytes: int
    redis_keys: int


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(readings, begin, end):
    """The most of everything in a stretch of time, or None when there was no reading."""
    within = [reading for reading in readings if begin <= reading.at < end]
    if not within:
        return None
    return Reading(within[-1].at, tuple(map(max, zip(*(each.resident for each in within)))),
                   tuple(map(max, zip(*(each.descriptors for each in within)))),
                   max(each.redis_bytes for each in within), max(each.redis_keys for each in within))


class Watch:
    INTERVAL = 0.2

    def __init__(self, pids, redis_port):
        self.pids, self.redis_port = pids, redis_port
        self.readings = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._work, name="watch", daemon=True)

    def start(self):
        self.thread.start()

    def end(self):
        self.is_over.set()
        self.thread.join(5)

    def read(self):
        with Redis(self.redis_port, timeout=5) as redis:
            memory = redis.text("INFO", "memory")
            used = next(int(line.split(":")[1]) for line in memory.splitlines() if line.startswith("used_memory:"))
            keys = redis.call("DBSIZE")
        return Reading(time.monotonic(), tuple(map(resident, self.pids)), tuple(map(descriptors, self.pids)), used, keys)

    def _work(self):
        while not self.is_over.wait(self.INTERVAL):
            try:
                self.readings.append(self.read())
            except (OSError, RedisError, StopIteration):
                # A gateway that has ended, or a Redis that is busy, is noticed by others.
                continue
