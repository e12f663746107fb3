"""Activities of one device each, as order tracking has them: every one of another user."""

import hashlib
import json
import time

from . import keep_alive
from .failure import BenchFailure
from .gateway import TYPE, content, insider_id, udid
from .progress import say
from .provider import compact

#: Calls under way at a time while activities are made.
CONNECTIONS = 32
_ROUTE = "/api/v1/live-activity/"


class OneDeviceActivities:
    """`count` activities on a gateway, in the order of their users' numbers. The users' devices are imported first."""

    def __init__(self, gateway, count, first=0):
        self.gateway = gateway
        self.port = gateway.processes[0].port
        self.numbers = range(first, first + count)
        self.identifiers = [None] * count
        self._customer = {"X-Api-Key": gateway.tenant["api_key"]}
        self._app = {"X-Sdk-Key": gateway.tenant["sdk_key"]}

    def __len__(self):
        return len(self.numbers)

    def register(self):
        ends_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
        requests = [
            self._call("register", {"activity_type": TYPE, "insider_ids": [insider_id(n)], "ends_at": ends_at})
            for n in self.numbers]
        keep_alive.all_of(self.port, requests, CONNECTIONS, self._take_identifier)

    def start(self):
        body = {"content": content(100)}
        self._all([self._broadcast("start", each, body) for each in self.identifiers], triggered=True)

    def sync(self):
        self._all(self.reports())

    def update(self):
        self._all(self.updates(), triggered=True)

    def end(self):
        self._all([self._broadcast("end", each) for each in self.identifiers], triggered=True)

    def make(self):
        """Registered, started, with the device's token, and updated once."""
        say(f"registering, starting, syncing and updating {len(self):,} activities of one device")
        for step in (self.register, self.start, self.sync, self.update):
            step()

    def updates(self):
        """The requests of one update of each."""
        return [self._broadcast("update", each) for each in self.identifiers]

    def reports(self):
        """The requests of one sync of each device."""
        return [self._report(n, each) for n, each in zip(self.numbers, self.identifiers)]

    def _all(self, requests, triggered=False):
        def take(_, body):
            if triggered and json.loads(body)["sessions_triggered"] != 1:
                raise BenchFailure(f"a call for one device was answered with {body[:300].decode()}")
        keep_alive.all_of(self.port, requests, CONNECTIONS, take)

    def _take_identifier(self, number, body):
        reply = json.loads(body)
        if reply["registered_devices"] != 1:
            raise BenchFailure(f"a register of one device was answered with {body[:300].decode()}")
        self.identifiers[number] = reply["activity_id"]

    def _broadcast(self, kind, identifier, more=None):
        return self._call(kind, {"activity_id": identifier, "activity_type": TYPE,
                                 "content": {"content_state": {"text": "Out for delivery", "stops_left": 7}},
                                 **(more or {})})

    def _call(self, kind, body):
        return keep_alive.request(self.port, _ROUTE + kind, compact(body), self._customer)

    def _report(self, number, identifier):
        body = {"activity_id": identifier, "insider_id": insider_id(number), "udid": udid(number),
                "token": hashlib.sha256(f"{identifier} {number}".encode()).hexdigest()}
        return keep_alive.request(self.port, "/api/v1/sdk/sync", compact(body), self._app)
