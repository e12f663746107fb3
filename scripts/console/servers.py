"""What a console needs behind it: Redis, mocks of the providers and a gateway, on free ports of this machine."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

#: Seconds for whatever is waited for.
DEADLINE = 60

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class StageFailure(Exception):
    """Something that has nothing to do with the console does not work."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(method, url, body=None, headers=None, timeout=DEADLINE):
    """Status and body of a request. A body that is no bytes is sent as JSON."""
    fields = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        fields.setdefault("Content-Type", "application/json")
    request = urllib.request.Request(url, body, fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait_for(condition, what, deadline=DEADLINE):
    """Waits until the condition returns something, and returns that."""
    end = time.monotonic() + deadline
    while not (result := condition()):
        if time.monotonic() > end:
            raise StageFailure(f"{what}: not within {deadline} s")
        time.sleep(0.05)
    return result


def _end_with_parent():
    """Also when this program is killed, no server stays behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A process in the background, with what it says in a log."""

    def __init__(self, name, arguments, folder, environment=None):
        self.name, self.log = name, pathlib.Path(folder, f"{name}.log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=environment,
                start_new_session=True, preexec_fn=_end_with_parent)

    def wait_until(self, what, condition):
        def holds():
            if self.process.poll() is not None:
                raise StageFailure(f"{self.name} ended with status {self.process.returncode}:\n{self.said()[-2000:]}")
            return condition()
        return wait_for(holds, f"{self.name} {what}")

    def said(self):
        return self.log.read_text(errors="replace")

    def end(self):
        """SIGTERM, and SIGKILL for what does not heed it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _is_answered(url):
    with contextlib.suppress(OSError):
        return call("GET", url, timeout=5)[0] == 200
    return False


class Mock:
    """A mock of a provider, with its control port."""

    def __init__(self, stage, kind):
        self.folder, self.port = f"{stage.folder}/{kind}", free_port()
        server = stage.start(f"mock-{kind}", [
            stage.binary, f"mock-{kind}", "--port", "0", "--control-port", str(self.port), "--out-dir", self.folder])
        file = pathlib.Path(self.folder, f"{kind}.env")
        server.wait_until("is ready", lambda: file.exists() and file.read_text() and _listens(self.port))
        self.environment = dict(
            (name, value.strip("'\""))
            for name, value in re.findall(r"^(?:export )?(FANFARE_\w+)=(.*)$", file.read_text(), re.M))

    def _ask(self, method, path, body=None):
        status, text = call(method, f"http://127.0.0.1:{self.port}/mock/{path}", body)
        if status >= 300:
            raise StageFailure(f"the mock's {path}: {status} {text}")
        return text

    def behave(self, script=None):
        """Its script; without one it has a good day."""
        self._ask("PUT", "script", script or {})

    def ledger(self):
        """All pushes until now."""
        lines = []
        while page := self._ask("GET", f"ledger?since={len(lines)}").splitlines():
            lines += page
        return [json.loads(line) for line in lines]


class Stage:
    """All of it running. Ends with the stack that it is given."""

    def __init__(self, binary, stack, settings=None):
        self.binary, self.stack = os.path.abspath(binary), stack
        self.folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fanfare-console-"))
        redis = free_port()
        self.start("redis", [
            "redis-server", "--port", str(redis), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--hash-max-listpack-value", "256"]).wait_until(
                "listens", lambda: _listens(redis))
        key = pathlib.Path(self.folder, "sealing.key")
        key.write_bytes(secrets.token_bytes(32))
        key.chmod(0o600)
        self.apns, self.fcm = Mock(self, "apns"), Mock(self, "fcm")
        self.port, self.console_port = free_port(), free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FANFARE_")},
            **self.apns.environment, **self.fcm.environment,
            "FANFARE_REDIS_URL": f"redis://127.0.0.1:{redis}", "FANFARE_HTTP_PORT": str(self.port),
            "FANFARE_CONSOLE_PORT": str(self.console_port), "FANFARE_EVENTS_SEALING_KEY_FILE": str(key),
            # What waits for a webhook beyond these is a dead letter at once.
            "FANFARE_EVENTS_MAX_PENDING": "100",
            # The receiver of webhooks is on this machine and speaks plain HTTP.
            "FANFARE_EVENTS_ALLOW_PRIVATE_RECEIVERS": "true", "FANFARE_EVENTS_ALLOW_PLAIN_HTTP": "true",
            "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "1000000", "FANFARE_LOG_LEVEL": "warning", **(settings or {})}
        self.url, self.console_url = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.console_port}"
        self.gateway = self.start("gateway", [self.binary, "serve"], self.environment)
        self.gateway.wait_until("is ready", lambda: _is_answered(f"{self.url}/health/ready"))

    def start(self, name, arguments, environment=None):
        server = Server(name, arguments, self.folder, environment)
        self.stack.callback(server.end)
        return server

    def command(self, *arguments, text=None):
        """What a command of fanfare prints, in the gateway's environment."""
        done = subprocess.run(
            [self.binary, *arguments], env=self.environment, cwd=self.folder, input=text, capture_output=True, text=True,
            timeout=DEADLINE)
        if done.returncode:
            raise StageFailure(f"fanfare {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.stdout
