"""h2load of Debian's nghttp2-client: the yardstick for pushes."""

import re

from .failure import BenchFailure
from .samples import Samples

#: Streams at a time on each connection: what the mock allows, and so what Fanfare uses.
STREAMS = 1000
_TOKEN = "ab" * 32


class Yardstick:
    """h2load with one body. What it takes to start, to connect and to make a push on each connection is taken off."""

    def __init__(self, place, provider, body, connections):
        self.place = place
        self.provider = provider
        self.connections = connections
        self.body = place.path("body")
        with open(self.body, "wb") as file:
            file.write(body)
        self.start = Samples(self._run(connections) for _ in range(3)).median

    def push(self, pushes):
        """Sends the body so many times. Returns CPU seconds for each push."""
        return (self._run(pushes) - self.start) / (pushes - self.connections)

    def _run(self, pushes):
        arguments = ["h2load", "-n", str(pushes), "-c", str(self.connections), "-m", str(STREAMS), "-t", "1",
                     "-d", self.body]
        for name, value in self.provider.header_fields().items():
            arguments += ["-H", f"{name}: {value}"]
        output, seconds = self.place.run("h2load", arguments + [f"{self.provider.url}/3/device/{_TOKEN}"])
        counts = read(output)
        if counts["succeeded"] != pushes or counts["2xx"] != pushes:
            raise BenchFailure(f"only {counts['2xx']} of h2load's {pushes} pushes were accepted")
        return seconds


def read(output):
    """The counters that h2load prints, by name."""
    requests = re.search(
        r"^requests: (\d+) total, (\d+) started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, "
        r"(\d+) timeout", output, re.MULTILINE)
    statuses = re.search(r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output, re.MULTILINE)
    if requests is None or statuses is None:
        raise BenchFailure("h2load did not print its counters")
    names = ["total", "started", "done", "succeeded", "failed", "errored", "timeout", "2xx", "3xx", "4xx", "5xx"]
    return dict(zip(names, (int(each) for each in requests.groups() + statuses.groups())))
