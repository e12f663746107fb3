"""wrk of Debian's package of that name: a client that costs little, for the most that a server can do."""

import re
from dataclasses import dataclass

from .failure import BenchFailure

_SCRIPT = """
local requests, count, file = {}, 0, io.open("REQUESTS", "rb")
while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    count = count + 1
    requests[count] = file:read(length)
end
file:close()
local at = 0
request = function()
    at = at % count + 1
    return requests[at]
end
"""


@dataclass
class Load:
    """What a run of wrk came to."""

    calls: int
    seconds: float
    #: Answers that were no success.
    refused: int
    #: Connections that broke, calls without an answer.
    errors: int
    #: CPU seconds of wrk itself.
    processor_seconds: float

    @property
    def rate(self):
        return self.calls / self.seconds


def run(place, port, requests, connections, seconds):
    """Sends the requests in turn, again and again, on so many connections for so many seconds."""
    path, script = place.path("requests"), place.path("wrk.lua")
    with open(path, "wb") as file:
        for each in requests:
            file.write(b"%d\n%s\n" % (len(each), each))
    with open(script, "w", encoding="ascii") as file:
        file.write(_SCRIPT.replace("REQUESTS", path))
    output, processor_seconds = place.run("wrk", [
        "wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s", "-s", script,
        f"http://127.0.0.1:{port}/"])
    return read(output, processor_seconds)


def read(output, processor_seconds):
    calls = re.search(r"^\s*(\d+) requests in ([\d.]+)(us|ms|s|m),", output, re.MULTILINE)
    if calls is None:
        raise BenchFailure(f"wrk did not print its counters: {output[:300]}")
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}[calls.group(3)]
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", output)
    return Load(
        int(calls.group(1)), float(calls.group(2)) * unit, int(refused.group(1)) if refused else 0,
        sum(int(each) for each in errors.groups()) if errors else 0, processor_seconds)
