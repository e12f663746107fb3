"""A gateway with a Redis and a mock of APNs of its own, on free ports of this machine."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import httpx

from .processes import Program, eventually, free_port

BINARY = os.environ.get("FANFARE_BINARY") or shutil.which("fanfare") or "fanfare"


@dataclass(frozen=True)
class Tenant:
    """A customer, with what `fanfare tenant create` has shown."""

    name: str
    api_key: str
    sdk_key: str
    identity_secret: str


@dataclass(frozen=True)
class Push:
    """What the provider was sent for one phone."""

    token: str
    event: str
    payload: bytes

    @staticmethod
    def read(line: str) -> Push:
        """A line of the ledger."""
        entry = json.loads(line)
        payload = base64.b64decode(entry["payload"])
        return Push(entry["path"].rpartition("/")[2], json.loads(payload)["aps"]["event"], payload)


class Stack:
    """All that a broadcast needs but phones."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="fanfare-client-"))
        self.port = free_port()
        self._control = f"http://127.0.0.1:{free_port()}/mock"
        self._tenants = 0
        self._programs: list[Program] = []
        self._socket = self.folder / "redis.sock"
        try:
            self.redis = self._start_redis()
            self._start_mock()
            self.environment = self._environment()
            self.gateway = self.start_gateway(self.port)
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_gateway(self, port: int, **more: str) -> Program:
        """A gateway on this port, when it is ready."""
        environment = {**self.environment, "FANFARE_HTTP_PORT": str(port), **more}
        gateway = self._program(f"gateway-{port}", [BINARY, "serve"], environment)
        eventually("the gateway is ready", lambda: _is_ready(gateway, port))
        return gateway

    def restart_gateway(self) -> None:
        """The usual gateway again, after it was killed."""
        self.gateway = self.start_gateway(self.port)

    def restart_redis(self) -> None:
        """Redis again, after it was killed, with what it had."""
        self.redis = self._start_redis()

    def mend(self) -> None:
        """Starts what a test that failed has left dead, so that those behind it do not fail as well."""
        if not self.redis.is_running:
            self.restart_redis()
        if not self.gateway.is_running:
            self.restart_gateway()

    def tenant(self) -> Tenant:
        """A customer whom nothing that went before concerns."""
        self._tenants += 1
        name = f"shop-{self._tenants}"
        made = self._command("tenant", "create", name, "--json")
        keys = json.loads(made)
        return Tenant(name, keys["api_key"], keys["sdk_key"], keys["identity_secret"])

    def import_phones(self, tenant: Tenant, count: int) -> list[str]:
        """Many phones at once, one for each user; returns the users."""
        users = [f"imported-{number}" for number in range(count)]
        facts = {"platform": "ios", "os_version": "18.1", "push_opt_in": True, "gdpr_consent": True}
        records = (
            {"insider_id": user, "udid": "phone", "environment": "production", **facts}
            | {"push_to_start_token": os.urandom(32).hex()}
            for user in users
        )
        lines = "".join(json.dumps(record) + "\n" for record in records)
        self._command("devices", "import", "/dev/stdin", "--tenant", tenant.name, input=lines.encode())
        return users

    def script(self, script: dict[str, object]) -> None:
        """How the provider behaves from now on."""
        httpx.put(f"{self._control}/script", json=script, timeout=10).raise_for_status()

    def pushes(self, since: int = 0) -> list[Push]:
        """What the provider was sent, from line `since` of its ledger on."""
        sent: list[Push] = []
        while True:
            query = {"since": since + len(sent)}
            lines = httpx.get(f"{self._control}/ledger", params=query, timeout=10).text.splitlines()
            if not lines:
                return sent
            sent += map(Push.read, lines)

    def pushes_of(self, event: str, tokens: set[str]) -> Counter[str]:
        """How often each of these tokens was sent this event."""
        return Counter(push.token for push in self.pushes() if push.event == event and push.token in tokens)

    def close(self) -> None:
        """Ends all programs of this stack."""
        for program in reversed(self._programs):
            program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, *arguments: str, input: bytes = b"") -> bytes:
        """What a command of the gateway's prints. Raises CalledProcessError when it fails."""
        done = subprocess.run(
            [BINARY, *arguments],
            env={**os.environ, **self.environment},
            cwd=self.folder,
            input=input,
            capture_output=True,
            timeout=30,
            check=True,
        )
        return done.stdout

    def _program(self, name: str, command: list[str], environment: dict[str, str] | None = None) -> Program:
        program = Program(name, command, self.folder, environment)
        self._programs.append(program)
        return program

    def _start_redis(self) -> Program:
        command = ["redis-server", "--port", "0", "--unixsocket", str(self._socket), "--dir", str(self.folder)]
        command += ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--hash-max-listpack-value", "256"]
        redis = self._program("redis", command)
        ping = ["redis-cli", "-s", str(self._socket), "ping"]
        eventually("Redis answers", lambda: b"PONG" in subprocess.run(ping, capture_output=True, timeout=5).stdout)
        return redis

    def _start_mock(self) -> None:
        out = self.folder / "apns"
        command = [BINARY, "mock-apns", "--port", "0", "--out-dir", str(out)]
        command += ["--control-port", self._control.rpartition(":")[2].partition("/")[0]]
        self._program("mock", command)
        eventually("the mock has written its settings", lambda: (out / "apns.env").is_file())

    def _environment(self) -> dict[str, str]:
        lines = (self.folder / "apns" / "apns.env").read_text().splitlines()
        sealing = self.folder / "sealing.key"
        sealing.write_bytes(os.urandom(32))
        sealing.chmod(0o600)
        return {
            **{name: value.strip('"\'') for name, _, value in (line.partition("=") for line in lines) if name},
            "FANFARE_REDIS_URL": f"unix://{self._socket}",
            "FANFARE_APNS_CONNECTIONS": "1",
            "FANFARE_HTTP_HOST": "127.0.0.1",
            "FANFARE_EVENTS_SEALING_KEY_FILE": str(sealing),
            "FANFARE_EVENTS_ALLOWED_RECEIVERS": "127.0.0.0/8",
            "FANFARE_EVENTS_ALLOW_PLAIN_HTTP": "true",
            "FANFARE_LOG_LEVEL": "warning",
        }


def _is_ready(gateway: Program, port: int) -> bool:
    assert gateway.is_running, f"the gateway does not start:\n{gateway.output[-2000:]}"
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health/ready", timeout=2).status_code == 200
    except httpx.TransportError:
        return False
