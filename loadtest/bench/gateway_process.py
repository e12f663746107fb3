"""One `fanfare serve`, and calls to it."""

import http.client
import json
import re
import socket

from .failure import BenchFailure
from .provider import compact


class GatewayProcess:
    """Listens on a free port of this machine, and is ready once this returns."""

    def __init__(self, place, name, environment, api_key):
        self.name = name
        self.api_key = api_key
        # At this level it does not say where it listens.
        is_silent = environment.get("FANFARE_LOG_LEVEL") == "warning"
        if is_silent:
            environment = environment | {"FANFARE_HTTP_PORT": str(free_port())}
        self.server = place.start(name, [place.binary("fanfare"), "serve"], environment)
        if is_silent:
            self.port = int(environment["FANFARE_HTTP_PORT"])
        else:
            match = self.server.wait_until(
                "listening", lambda: re.search(r"http:\\?/\\?/127\.0\.0\.1:(\d+)", self.server.said()))
            self.port = int(match.group(1))
        self.server.wait_until("ready", self._is_ready)

    @property
    def pid(self):
        return self.server.pid

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def _is_ready(self):
        try:
            return self._request("GET", "/health/ready", None, self.api_key)[0] == 200
        except OSError:
            return False

    def request(self, method, path, body, content_type):
        """A customer's request of the first tenant. Returns the status and the body of the answer."""
        try:
            return self._request(method, path, body, self.api_key, content_type)
        except OSError as error:
            raise BenchFailure(f"the gateway did not answer {method} {path}: {error}") from error

    def _request(self, method, path, body, api_key, content_type="application/json", timeout=320):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, {"Content-Type": content_type, "X-Api-Key": api_key})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def call(self, name, body, api_key=None):
        """A customer's call; `api_key` is the first tenant's unless another is given."""
        try:
            status, reply = self._request(
                "POST", f"/api/v1/live-activity/{name}", compact(body), api_key or self.api_key)
        except OSError as error:
            raise BenchFailure(f"the gateway did not answer {name}: {error}") from error
        if status != 200:
            raise BenchFailure(f"the gateway answered {name} with {status}: {reply[:300].decode(errors='replace')}")
        return json.loads(reply)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
