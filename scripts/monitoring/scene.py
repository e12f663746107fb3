"""A gateway with a private Redis and a mock provider, and what is played on it."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

DEVICES = 50
#: Of a broadcast that is too small to be stopped, and large enough to be told of.
FEW_DEVICES = 6
#: Seconds for whatever is waited for.
DEADLINE = 60
TYPE = {"activity_type": "MatchAttributes"}
CONTENT = {"content": {"title": "a", "message": "b", "content_state": {"n": 1}}}
#: Of the mock's: no push to this topic is taken.
ALL_REFUSED = {"rules": [{"status": 400, "reason": "BadPriority"}]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(method, url, body=None, **headers):
    """Status and body of a request."""
    data = None if body is None else json.dumps(body).encode()
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **fields}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait_for(condition, what):
    end = time.monotonic() + DEADLINE
    while not (result := condition()):
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {DEADLINE} s")
        time.sleep(0.05)
    return result


def answers(url):
    try:
        return call("GET", url)[0] == 200
    except OSError:
        return False


class Scene:
    """The running gateway."""

    def __init__(self, binary, folder, stack):
        self.binary, self.folder, self.stack = binary, folder, stack
        self.control = free_port()
        mock = f"{folder}/mock"
        self.start([binary, "mock-apns", "--port", "0", "--control-port", str(self.control), "--out-dir", mock])
        wait_for(lambda: os.path.exists(f"{mock}/apns.env"), "the mock provider")
        self.environment = dict(os.environ)
        for line in pathlib.Path(f"{mock}/apns.env").read_text().splitlines():
            if match := re.match(r"(?:export )?(FANFARE_\w+)=(.*)", line):
                self.environment[match[1]] = match[2].strip("'\"")
        self.port = free_port()
        self.environment |= {
            "FANFARE_HTTP_PORT": str(self.port), "FANFARE_REDIS_DATA_DIR": f"{folder}/data",
            "FANFARE_LOG_LEVEL": "error"}
        self.start([binary, "serve"], env=self.environment)
        self.url = f"http://127.0.0.1:{self.port}"
        wait_for(lambda: answers(f"{self.url}/health/ready"), "the gateway")
        created = subprocess.run(
            [binary, "tenant", "create", "metrics", "--tier", "growth", "--no-signatures", "--json"],
            env=self.environment, cwd=folder, check=True, capture_output=True, text=True)
        self.tenant = json.loads(created.stdout)

    def start(self, command, **options):
        """Starts a process that ends with the scene."""
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)

        def end():
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=DEADLINE)
        self.stack.callback(end)
        return process

    def page(self, **headers):
        return call("GET", f"{self.url}/metrics", **headers)[1]

    def script(self, rules):
        status, text = call("PUT", f"http://127.0.0.1:{self.control}/mock/script", rules)
        if status >= 300:
            sys.exit(f"the mock's script: {status} {text}")

    def customers(self, path, body, expected=200):
        status, text = call("POST", f"{self.url}/api/v1/live-activity/{path}", body, X_Api_Key=self.tenant["api_key"])
        if status != expected:
            sys.exit(f"{path}: {status} {text}")
        return json.loads(text)

    def device(self, method, path, body):
        call(method, f"{self.url}/api/v1/sdk/{path}", body, X_Sdk_Key=self.tenant["sdk_key"])

    def registered(self, count=DEVICES):
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
        ids = [f"user-{n}" for n in range(count)]
        return TYPE | {"activity_id": self.customers(
            "register", TYPE | {"insider_ids": ids, "ends_at": ends})["activity_id"]}

    def life(self):
        """One activity from register to end, with some refusals."""
        who = [{"insider_id": f"user-{n}", "udid": f"phone-{n}"} for n in range(DEVICES)]
        for number, key in enumerate(who):
            self.device("PUT", "device", key | {
                "platform": "ios", "os_version": "18.1", "push_opt_in": True, "gdpr_consent": True,
                "environment": "production"})
            self.device("PUT", "push-to-start-token", key | {"token": f"{number:064x}"})
        activity = self.registered()
        self.customers("start", activity | CONTENT)
        self.customers("start", activity | CONTENT, expected=409)
        for number, key in enumerate(who):
            self.device("POST", "sync", key | {"token": f"{number + 1000:064x}"} | activity)
        self.customers("update", activity | CONTENT)
        self.customers("end", activity)
        call("GET", f"{self.url}/api/v1/live-activity/nothing")

    def refused_starts(self):
        """Two starts of which the provider takes no push: one is stopped, and one is too small for that."""
        activities = [self.registered(), self.registered(FEW_DEVICES)]
        self.script(ALL_REFUSED)
        for activity in activities:
            self.customers("start", activity | CONTENT)


@contextlib.contextmanager
def scene(binary):
    with tempfile.TemporaryDirectory(prefix="fanfare-monitoring-") as folder, contextlib.ExitStack() as stack:
        yield Scene(binary, folder, stack)
