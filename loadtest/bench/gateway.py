"""A gateway on a Redis of its own, and the calls that are made to it."""

import http.client
import json
import os
import random
import re
import time
from contextlib import contextmanager

from .failure import BenchFailure
from .progress import say
from .provider import Provider, compact
from .workplace import Workplace

TYPE = "MatchAttributes"
#: The most users that a call takes.
USERS_PER_CALL = 10_000


class Gateway:
    """`fanfare serve`, redis-server on a unix socket, a mock provider, and one tenant."""

    def __init__(self, place, script=None, keeps_ledger=False):
        self.place = place
        socket = place.path("redis.sock")
        # As the private redis-server of `fanfare serve`, without persistence.
        self.redis = place.start("redis", [
            "redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no",
            "--hash-max-listpack-value", "256"])
        self.redis.wait_until("listening", lambda: os.path.exists(socket))
        self.provider = Provider(place, script=script, keeps_ledger=keeps_ledger)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FANFARE_")}
        self.environment.update(
            self.provider.environment(), FANFARE_REDIS_URL=f"unix://{socket}", FANFARE_HTTP_PORT="0",
            FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE="1000000", FANFARE_BROADCAST_WAIT_TIMEOUT="5m")
        output, _ = place.run("fanfare tenant create", [
            place.binary("fanfare"), "tenant", "create", "bench", "--tier", "enterprise", "--json"], self.environment)
        self.tenant = json.loads(output)
        self.server = place.start("gateway", [place.binary("fanfare"), "serve"], self.environment)
        match = self.server.wait_until(
            "listening", lambda: re.search(r"http://127\.0\.0\.1:(\d+)", self.server.said()))
        self.port = int(match.group(1))
        self.server.wait_until("ready", self._is_ready)

    @property
    def servers(self):
        return [self.server, self.redis, self.provider.server]

    def _is_ready(self):
        try:
            return self._request("GET", "/health/ready", None)[0] == 200
        except OSError:
            return False

    def _request(self, method, path, body, timeout=320):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, {
                "Content-Type": "application/json", "X-Api-Key": self.tenant["api_key"]})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def call(self, name, body):
        try:
            status, reply = self._request("POST", f"/api/v1/live-activity/{name}", compact(body))
        except OSError as error:
            raise BenchFailure(f"the gateway did not answer {name}: {error}") from error
        if status != 200:
            raise BenchFailure(f"the gateway answered {name} with {status}: {reply[:300].decode(errors='replace')}")
        return json.loads(reply)

    # Devices

    def import_devices(self, count):
        say(f"importing {count:,} devices")
        path = self.place.path("devices.ndjson")
        numbers = random.Random(count)
        with open(path, "w", encoding="ascii") as file:
            for number in range(count):
                file.write(
                    f'{{"insider_id":"{insider_id(number)}","udid":"{udid(number)}","platform":"ios",'
                    '"os_version":"18.1","push_opt_in":true,"gdpr_consent":true,"environment":"production",'
                    f'"push_to_start_token":"{numbers.getrandbits(256):064x}"}}\n')
        self.place.run("fanfare devices import", [
            self.place.binary("fanfare"), "devices", "import", path, "--tenant", self.tenant["tenant_id"]],
            self.environment)
        os.remove(path)

    # Activities

    def register(self, count):
        """An activity of so many devices. Returns its id."""
        identifier, devices = None, 0
        for start in range(0, count, USERS_PER_CALL):
            body = {"activity_type": TYPE,
                    "insider_ids": [insider_id(n) for n in range(start, min(count, start + USERS_PER_CALL))]}
            if identifier is None:
                body["ends_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
                reply = self.call("register", body)
                identifier = reply["activity_id"]
            else:
                reply = self.call("add-users", body | {"activity_id": identifier})
            devices += reply["registered_devices"]
        if devices != count:
            raise BenchFailure(f"{devices} devices were registered, not {count}")
        return identifier

    def start(self, identifier, expected, filler=100, targets=None):
        """Starts it. Returns the seconds from the call to the whole answer."""
        body = {"activity_id": identifier, "activity_type": TYPE, "content": content(filler)}
        if targets is not None:
            body["target_devices"] = [{"insider_id": insider_id(n), "udid": udid(n)} for n in targets]
        begin = time.monotonic()
        reply = self.call("start", body)
        seconds = time.monotonic() - begin
        if reply["sessions_triggered"] != expected:
            raise BenchFailure(f"a start of {expected} devices was answered with {json.dumps(reply)[:300]}")
        return seconds


@contextmanager
def running_gateway(binaries, **options):
    with Workplace(binaries) as place:
        yield Gateway(place, **options)


def insider_id(number):
    return f"user-{number:07d}"


def udid(number):
    return f"{number:08X}-0000-4000-8000-{number:012X}"


def content(filler):
    return {"title": "Kick-off", "message": "The match begins", "content_state": {"text": "x" * filler},
            "attributes": {"match": "final"}}
