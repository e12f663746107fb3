"""redis-benchmark's SET: what the same store does at its easiest."""

import re

from .failure import BenchFailure
from .usage import processor_time

_CALLS = 200_000


def sets(place, redis, socket, connections, bytes_each=400):
    """CPU seconds of Redis for a SET, and SETs a second, without pipelining, of as many clients."""
    before = processor_time(redis.pid)
    output, _ = place.run("redis-benchmark", [
        "redis-benchmark", "-s", socket, "-t", "set", "-n", str(_CALLS), "-c", str(connections), "-d",
        str(bytes_each), "-r", "10000", "-q"])
    return (processor_time(redis.pid) - before) / _CALLS, rate(output)


def rate(output):
    match = re.findall(r"SET: ([\d.]+) requests per second", output)
    if not match:
        raise BenchFailure(f"redis-benchmark did not print a rate: {output[-300:]}")
    return float(match[-1])
