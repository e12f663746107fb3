"""Gateways on a Redis of their own, and the calls that are made to them."""

import json
import os
import random
import time
from contextlib import contextmanager

from .failure import BenchFailure
from .gateway_process import GatewayProcess
from .progress import say
from .provider import Provider
from .workplace import Workplace

TYPE = "MatchAttributes"
#: The most users that a call takes.
USERS_PER_CALL = 10_000


class Gateway:
    """`fanfare serve`, once or more often, on one redis-server on a unix socket; a mock provider; a tenant or more.

    Calls go to the first process. `settings` are further variables of the gateways' environment.
    """

    def __init__(self, place, script=None, keeps_ledger=False, processes=1, settings=None):
        self.place = place
        self.socket = place.path("redis.sock")
        # As the private redis-server of `fanfare serve`, without persistence.
        self.redis = place.start("redis", [
            "redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no",
            "--hash-max-listpack-value", "256"])
        self.redis.wait_until("listening", lambda: os.path.exists(self.socket))
        self.provider = Provider(place, script=script, keeps_ledger=keeps_ledger)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FANFARE_")}
        self.environment.update(
            self.provider.environment(), FANFARE_REDIS_URL=f"unix://{self.socket}", FANFARE_HTTP_PORT="0",
            FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE="1000000", FANFARE_BROADCAST_WAIT_TIMEOUT="5m", **(settings or {}))
        self.tenant = self.make_tenant("bench")
        self.processes = [
            GatewayProcess(place, "gateway" if number == 0 else f"gateway{number + 1}", self.environment,
                           self.tenant["api_key"])
            for number in range(processes)]

    @property
    def server(self):
        """The first process."""
        return self.processes[0].server

    @property
    def url(self):
        return self.processes[0].url

    @property
    def servers(self):
        return [*(each.server for each in self.processes), self.redis, self.provider.server]

    def make_tenant(self, name):
        output, _ = self.place.run("fanfare tenant create", [
            self.place.binary("fanfare"), "tenant", "create", name, "--tier", "enterprise", "--no-signatures",
            "--json"],
            self.environment)
        return json.loads(output)

    def lift_device_limits(self):
        """Devices that report again and again would come near the limits of a device and of a user, which in a storm, where
        each reports once, nobody does; from a twentieth of the limit on a gateway tells Redis of requests."""
        for limit in ("device", "user"):
            self.place.run("fanfare tenant set-limits", [
                self.place.binary("fanfare"), "tenant", "set-limits", self.tenant["tenant_id"],
                f"--{limit}-sdk-requests-per-minute", "off"], self.environment)

    def call(self, name, body, tenant=None):
        return self.processes[0].call(name, body, (tenant or self.tenant)["api_key"])

    # Devices

    def import_devices(self, count, tenant=None):
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
            self.place.binary("fanfare"), "devices", "import", path, "--tenant",
            (tenant or self.tenant)["tenant_id"]], self.environment)
        os.remove(path)

    # Activities

    def register(self, count, tenant=None, name=None):
        """An activity of so many devices, whose users `name` names by their numbers. Returns its id."""
        identifier, devices = None, 0
        name = name or insider_id
        for start in range(0, count, USERS_PER_CALL):
            body = {"activity_type": TYPE,
                    "insider_ids": [name(n) for n in range(start, min(count, start + USERS_PER_CALL))]}
            if identifier is None:
                body["ends_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
                reply = self.call("register", body, tenant)
                identifier = reply["activity_id"]
            else:
                reply = self.call("add-users", body | {"activity_id": identifier}, tenant)
            devices += reply["registered_devices"]
        if devices != count:
            raise BenchFailure(f"{devices} devices were registered, not {count}")
        return identifier

    def start(self, identifier, expected, filler=100, targets=None, tenant=None):
        """Starts it. Returns the seconds from the call to the whole answer."""
        body = {"content": content(filler)}
        if targets is not None:
            body["target_devices"] = [{"insider_id": insider_id(n), "udid": udid(n)} for n in targets]
        return self.broadcast("start", identifier, expected, body, tenant)

    def broadcast(self, kind, identifier, expected, body=None, tenant=None):
        """A start, update or end. Returns the seconds from the call to the whole answer."""
        body = {"activity_id": identifier, "activity_type": TYPE, "content": {"content_state": {"text": kind}},
                **(body or {})}
        begin = time.monotonic()
        reply = self.call(kind, body, tenant)
        seconds = time.monotonic() - begin
        if reply["sessions_triggered"] != expected:
            raise BenchFailure(f"a call of {kind} for {expected} devices was answered with {json.dumps(reply)[:300]}")
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
