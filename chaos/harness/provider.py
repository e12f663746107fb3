"""The mock of Apple's push service. It is never killed: its ledger is what the invariants are checked against."""

import json
import re
import signal

from .failure import ChaosFailure


class Provider:
    """`fanfare mock-apns` on a free port of this machine."""

    def __init__(self, place, script):
        self.directory = place.path("mock")
        self.path, self.script, self.scripts_read = place.path("script.json"), script, 0
        self._write(script)
        self.server = place.start("mock", [
            place.binary, "mock-apns", "--port", "0", "--out-dir", self.directory, "--script", self.path])
        match = self.server.wait_until(
            "listening", lambda: re.search(r"listens at https://([a-z0-9.]+):(\d+)\s", self.server.said()))
        self.host, self.port = match.group(1), int(match.group(2))

    def environment(self):
        """What a gateway needs to push there, but for the URL."""
        with open(f"{self.directory}/apns.env", encoding="ascii") as file:
            lines = [line.split("=", 1) for line in file.read().splitlines() if "=" in line]
        return dict(lines)

    def url(self, port):
        """Where it is by way of another port of this machine."""
        return f"https://{self.host}:{port}"

    def behave(self, changes=None):
        """Its script with some changes is in force when this returns; without any, the script that it began with."""
        self._write(self.script | (changes or {}))
        self.scripts_read += 1
        self.server.send(signal.SIGHUP)
        self.server.wait_until(
            "reading its script", lambda: self.server.said().count("reloaded ") >= self.scripts_read)

    def _write(self, script):
        with open(self.path, "w", encoding="ascii") as file:
            json.dump(script, file)

    def end(self):
        """Ends it and returns where its ledger is."""
        status = self.server.stop(timeout=60)
        if status != 0:
            raise ChaosFailure(f"the mock ended with status {status}, so there is no ledger")
        return f"{self.directory}/ledger.ndjson"
