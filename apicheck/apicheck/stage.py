"""What a check needs around it: a mock provider, a gateway with a Redis of its own, a tenant, devices."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from . import people


class StageError(Exception):
    """The stage cannot be set up, or did not end as it should."""


class Stage:
    """Starts everything at `with`, and ends all of it, by its process id, when that is left."""

    START_SECONDS = 60
    STOP_SECONDS = 40

    def __init__(self, binary: Path, repository: Path):
        self.binary = binary
        self.repository = repository
        self.folder = Path(tempfile.mkdtemp(prefix="fanfare-apicheck-"))
        self.processes: dict[str, subprocess.Popen] = {}
        self.environment = dict(os.environ)
        self.url = ""
        self.keys: dict[str, str] = {}

    def __enter__(self) -> "Stage":
        try:
            self._start()
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._kill()

    def _start(self) -> None:
        if not self.binary.exists():
            raise StageError(f"{self.binary} has not been built")
        self._spawn("mock-apns", "--port", "0", "--out-dir", str(self.folder / "apns"), "--no-ledger")
        variables = self.folder / "apns/apns.env"
        self._wait("mock-apns", variables.exists)
        for line in variables.read_text().splitlines():
            name, _, value = line.partition("=")
            self.environment[name] = value
        self.environment |= {
            "FANFARE_HTTP_PORT": "0",
            "FANFARE_LOG_FORMAT": "json",
            "FANFARE_REDIS_DATA_DIR": str(self.folder / "data"),
            "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "10000000",
            "FANFARE_BROADCAST_WAIT_TIMEOUT": "5s",
        }
        self.environment.pop("FANFARE_REDIS_URL", None)
        self._spawn("serve")
        self._wait("serve", self._find_url)
        tenant = json.loads(self._run("tenant", "create", "apicheck", "--no-signatures", "--json"))
        self.keys = {
            "APICHECK_API_KEY": tenant["api_key"],
            "APICHECK_SDK_KEY": tenant["sdk_key"],
            "APICHECK_IDENTITY_SECRET": tenant["identity_secret"],
        }
        devices = self.folder / "devices.ndjson"
        devices.write_text("".join(json.dumps(device) + "\n" for device in people.devices()))
        self._run("devices", "import", str(devices), "--tenant", tenant["tenant_id"])

    def fetch(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path, timeout=30) as reply:
            return reply.read()

    def stop(self) -> None:
        """Ends the gateway as its operator would, which must go well whatever it was sent before."""
        for name in reversed(list(self.processes)):
            process = self.processes[name]
            if process.poll() is not None:
                raise StageError(f"{name} ended by itself with {process.returncode}:\n{self._log(name)}")
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(self.STOP_SECONDS)
            except subprocess.TimeoutExpired as error:
                raise StageError(f"{name} does not stop:\n{self._log(name)}") from error
            if status != 0:
                raise StageError(f"{name} exited with {status}:\n{self._log(name)}")

    def _kill(self) -> None:
        for name in reversed(list(self.processes)):
            process = self.processes[name]
            if process.poll() is None:
                # The gateway ends its Redis when it is asked to stop.
                process.terminate()
                try:
                    process.wait(self.STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _spawn(self, name: str, *options: str) -> None:
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes[name] = subprocess.Popen(
                [self.binary, name, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, cwd=self.repository)

    def _run(self, *options: str) -> str:
        done = subprocess.run(
            [self.binary, *options], env=self.environment, cwd=self.repository, capture_output=True, text=True,
            timeout=self.START_SECONDS, check=False)
        if done.returncode != 0:
            raise StageError(f"fanfare {' '.join(options)}: {done.stderr or done.stdout}")
        return done.stdout

    def _log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def _wait(self, name: str, is_there) -> None:
        end = time.monotonic() + self.START_SECONDS
        while not is_there():
            if self.processes[name].poll() is not None:
                raise StageError(f"{name} ended:\n{self._log(name)}")
            if time.monotonic() > end:
                raise StageError(f"{name} is not ready:\n{self._log(name)}")
            time.sleep(0.05)

    def _find_url(self) -> bool:
        for line in self._log("serve").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            url = entry.get("url") or (entry.get("metadata") or {}).get("url")
            if url:
                self.url = url
                return True
        return False
