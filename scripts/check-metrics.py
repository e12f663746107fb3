#!/usr/bin/env python3
"""Checks /metrics of a running gateway with promtool, and the documents about it.

    check-metrics.py BINARY [--page FILE]

Starts a mock provider and a gateway with a private Redis, plays one activity's life, and scrapes. Fails when promtool has
anything to say about the page, when the rules in monitoring/ are not valid or refer to a metric that is not there, or when
docs/metrics.md does not name exactly the metrics of the page.
"""
import argparse
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEVICES = 50
DEADLINE = 60


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
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {DEADLINE} s")
        time.sleep(0.05)


def is_ready(url):
    try:
        return call("GET", f"{url}/health/ready")[0] == 200
    except OSError:
        return False


def play(url, tenant):
    """One activity from register to end, with a dead token and some refusals."""
    customer = {"X_Api_Key": tenant["api_key"]}
    device = {"X_Sdk_Key": tenant["sdk_key"]}

    def customers(path, body, expected=200):
        status, text = call("POST", f"{url}/api/v1/live-activity/{path}", body, **customer)
        if status != expected:
            sys.exit(f"{path}: {status} {text}")
        return json.loads(text)

    who = [{"insider_id": f"user-{n}", "udid": f"phone-{n}"} for n in range(DEVICES)]
    for number, key in enumerate(who):
        call("PUT", f"{url}/api/v1/sdk/device", key | {
            "platform": "ios", "os_version": "18.1", "push_opt_in": True, "gdpr_consent": True,
            "environment": "production"}, **device)
        call("PUT", f"{url}/api/v1/sdk/push-to-start-token", key | {"token": f"{number:064x}"}, **device)
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
    type_ = {"activity_type": "MatchAttributes"}
    ids = [key["insider_id"] for key in who]
    activity = type_ | {"activity_id": customers("register", type_ | {"insider_ids": ids, "ends_at": ends})["activity_id"]}
    content = {"content": {"title": "a", "message": "b", "content_state": {"n": 1}}}
    customers("start", activity | content)
    customers("start", activity | content, expected=409)
    for number, key in enumerate(who):
        call("POST", f"{url}/api/v1/sdk/sync", key | {"token": f"{number + 1000:064x}"} | activity, **device)
    customers("update", activity | content)
    customers("end", activity)
    call("GET", f"{url}/api/v1/live-activity/nothing")


def scrape(binary):
    with tempfile.TemporaryDirectory(prefix="fanfare-metrics-") as folder:
        started = []
        try:
            mock = f"{folder}/mock"
            started.append(subprocess.Popen(
                [binary, "mock-apns", "--port", "0", "--out-dir", mock], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
            environment = dict(os.environ)
            wait_for(lambda: os.path.exists(f"{mock}/apns.env"), "the mock provider")
            for line in pathlib.Path(f"{mock}/apns.env").read_text().splitlines():
                if match := re.match(r"(?:export )?(FANFARE_\w+)=(.*)", line):
                    environment[match[1]] = match[2].strip("'\"")
            port = free_port()
            environment |= {
                "FANFARE_HTTP_PORT": str(port), "FANFARE_REDIS_DATA_DIR": f"{folder}/data", "FANFARE_LOG_LEVEL": "error"}
            started.append(subprocess.Popen([binary, "serve"], env=environment, cwd=folder))
            url = f"http://127.0.0.1:{port}"
            wait_for(lambda: is_ready(url), "the gateway")
            created = subprocess.run(
                [binary, "tenant", "create", "metrics", "--tier", "growth", "--no-signatures", "--json"],
                env=environment, cwd=folder, check=True, capture_output=True, text=True)
            play(url, json.loads(created.stdout))
            return call("GET", f"{url}/metrics")[1]
        finally:
            for process in reversed(started):
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=DEADLINE)


def promtool(*arguments, text=None):
    result = subprocess.run(
        ["promtool", *arguments], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def names_in(text):
    """Metrics that a text names, without the suffixes of histograms."""
    found = set(re.findall(r"\b(?:fanfare|process)_[a-z0-9_]+\b", text))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def main():
    parser = argparse.ArgumentParser(description="Checks /metrics with promtool.")
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--page", help="also write the page to this file")
    arguments = parser.parse_args()
    page = scrape(arguments.binary)
    if arguments.page:
        pathlib.Path(arguments.page).write_text(page)
    findings = []
    status, said = promtool("check", "metrics", text=page)
    if status or said.strip():
        findings.append(f"promtool check metrics:\n{said}")
    there = set(re.findall(r"^# TYPE (\S+)", page, re.M))
    described = names_in((ROOT / "docs/metrics.md").read_text())
    for name in sorted(there ^ described):
        findings.append(f"{name}: " + ("not in docs/metrics.md" if name in there else "only in docs/metrics.md"))
    for file in sorted((ROOT / "monitoring").glob("*.rules.yaml")):
        status, said = promtool("check", "rules", str(file))
        if status:
            findings.append(said)
        for name in sorted(names_in(file.read_text()) - there):
            findings.append(f"{file.name}: {name} is not at /metrics")
    if findings:
        sys.exit("\n".join(findings))
    print(f"{len(there)} metrics: promtool finds nothing, and docs/metrics.md names them all")


if __name__ == "__main__":
    main()
