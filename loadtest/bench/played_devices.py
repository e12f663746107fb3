"""Devices that `fanfare loadtest` plays: they register and report tokens."""

import json

from .failure import BenchFailure


class PlayedDevices:
    """The first `count` devices of the load test's seed 1, at a gateway's first tenant."""

    def __init__(self, gateway, count):
        self.gateway = gateway
        self.count = count
        self.environment = gateway.environment | {
            "FANFARE_LOADTEST_SDK_KEY": gateway.tenant["sdk_key"],
            "FANFARE_LOADTEST_API_KEY": gateway.tenant["api_key"]}

    def run(self, kind, url, *options):
        """`fanfare loadtest devices` or `broadcasts`. Returns its report."""
        output, _ = self.gateway.place.run(f"fanfare loadtest {kind}", [
            self.gateway.place.binary("fanfare"), "loadtest", kind, "--url", url, "--devices", str(self.count),
            "--json", *options], self.environment)
        report = json.loads(output)
        if not report["ok"]:
            raise BenchFailure(f"{report['failed']} calls of loadtest {kind} failed")
        return report

    def register(self):
        self.run("devices", self.gateway.url, "--register-only")

    def sync(self, url, identifier, connections, rotations=0):
        """Each device reports a token, and so many others afterwards."""
        report = self.run(
            "devices", url, "--activity-id", identifier, "--rotations", str(rotations), "--connections",
            str(connections))
        calls = self.count * (1 + rotations)
        succeeded = sum(phase["succeeded"] for phase in report["phases"])
        if succeeded != calls:
            raise BenchFailure(f"{succeeded} of {calls} syncs succeeded")

    @staticmethod
    def insider_id(number):
        return f"load-1-{number:08d}"
