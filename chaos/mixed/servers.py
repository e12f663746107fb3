"""Redis, both mocks and the gateways of a run."""

import base64
import json
import os

from harness.failure import ChaosFailure
from harness.gateways import Gateway
from harness.phone import Message
from harness.place import free_ports

from .audit import Ledger

#: Long enough that a killed gateway has pushes on their way.
_LATENCY = {"min_ms": 30, "max_ms": 150}


def _variables(path):
    with open(path, encoding="ascii") as file:
        return dict(line.strip().split("=", 1) for line in file if "=" in line)


class Servers:
    def __init__(self, place, dead):
        """`dead`: push-to-start tokens that APNs calls dead."""
        self.place = place
        self.redis_port, self.apns_control, self.fcm_control, *ports = free_ports(5)
        self.redis = place.start("redis", [
            "redis-server", "--bind", "127.0.0.1", "--port", str(self.redis_port), "--dir", place.directory,
            "--appendonly", "yes", "--appendfsync", "always", "--save", ""])
        self._mock("apns", self.apns_control, {
            "latency": _LATENCY, "channels": {"publish_interval_ms": 0},
            "rules": [{"tokens": dead, "status": 410, "reason": "Unregistered", "timestamp": 4_000_000_000_000}]})
        self._mock("fcm", self.fcm_control, {
            "latency": _LATENCY, "quota": {"messages_per_minute": 100_000_000},
            "rules": [{"token_suffix": "-gone", "error": "UNREGISTERED"}]})
        base = {key: value for key, value in os.environ.items() if not key.startswith("FANFARE_")}
        self.environment = base | _variables(place.path("apns/apns.env")) | _variables(place.path("fcm/fcm.env")) | {
            "FANFARE_REDIS_URL": f"redis://127.0.0.1:{self.redis_port}", "FANFARE_FCM_MESSAGES_PER_MINUTE": "10000000",
            "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "1000000", "FANFARE_APNS_BROADCAST_CAPABILITY": "true",
            "FANFARE_APNS_CHANNEL_THRESHOLD": "1"}
        self.gateways = [Gateway(place, index, port, self.environment) for index, port in enumerate(ports)]
        for gateway in self.gateways:
            gateway.wait_until_ready()

    def _mock(self, name, control, script):
        path = self.place.path(f"{name}.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(script, file)
        mock = self.place.start(name, [
            self.place.binary, f"mock-{name}", "--port", "0", "--out-dir", self.place.path(name), "--script", path])
        mock.wait_until("listening", lambda: "listens at" in mock.said())
        setattr(self, name, mock)

    def fanfare(self, *arguments):
        return self.place.run(arguments[0], [self.place.binary, *arguments], self.environment, timeout=300)

    def tenant(self, name, phones):
        """The secrets of a tenant whose devices the phones are."""
        secrets = json.loads(self.fanfare("tenant", "create", name, "--no-signatures", "--json"))
        path = self.place.path("devices.ndjson")
        with open(path, "w", encoding="ascii") as file:
            for phone in phones:
                file.write(json.dumps(phone.record()) + "\n")
        self.fanfare("devices", "import", path, "--tenant", secrets["tenant_id"])
        return secrets

    @property
    def misdeeds(self):
        """What gateways did that nobody had them do."""
        return [misdeed for gateway in self.gateways for misdeed in gateway.misdeeds]

    @property
    def kills(self):
        return sum(gateway.kills for gateway in self.gateways)

    def end(self, phones, matches):
        """Ends gateways and mocks, and reads the ledgers."""
        for gateway in self.gateways:
            gateway.terminate()
        for mock in (self.apns, self.fcm):
            if mock.stop(timeout=60) != 0:
                raise ChaosFailure(f"{mock.name} did not end as it should, so there is no ledger")
        ledger = Ledger(phones, matches)
        for record in self._records("apns/ledger.ndjson"):
            message = Message.of_apns(json.loads(base64.b64decode(record["payload"]))["aps"])
            if record["path"].startswith("/4/"):
                ledger.publish(record["headers"]["apns-channel-id"], message, record.get("followers"))
            else:
                ledger.push(record["path"].rsplit("/", 1)[-1], message)
        for record in self._records("fcm/ledger.ndjson"):
            message = json.loads(base64.b64decode(record["body"]))["message"]
            ledger.push(message["token"], Message.of_fcm(message["data"]))
        return ledger

    def _records(self, name):
        with open(self.place.path(name), encoding="ascii") as file:
            return [record for record in map(json.loads, file) if record.get("status") == 200]
