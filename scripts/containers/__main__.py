"""Checks the image, the composition and the manifests for Kubernetes.

    python3 -m containers EXECUTABLE FOLDER --compose PROGRAM

As root. There need be no engine: the last stage of the Dockerfile is carried out on a bare Debian with the package in FOLDER,
and the services of compose.yaml are run in it, as their user, with their volumes, in a network of their own: from nothing to
an accepted push, and a gateway that is stopped and started again.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

from . import compose, dockerfile, kubernetes, materials
from .image import Container, Failed, Image, Place

PACKAGING = pathlib.Path(__file__).parents[2] / "packaging"


def say(text):
    print(text, flush=True)


def require(condition, complaint):
    if not condition:
        raise Failed(complaint)


def customer(gateway, method, path, key, body=None):
    """A call from within the gateway's network; its answer as an object."""
    words = ["ip", "netns", "exec", gateway.image.place.network, "curl", "-s", "-X", method, "-w", "\n%{http_code}",
             f"http://127.0.0.1:8080{path}", "-H", key, "-H", "Content-Type: application/json"]
    done = subprocess.run(words + (["-d", json.dumps(body)] if body else []), text=True, capture_output=True)
    text, _, status = done.stdout.rpartition("\n")
    require(status.startswith("2"), f"{method} {path}: {done.stdout}{done.stderr}")
    return json.loads(text)


def broadcast(gateway):
    """From no tenant to an accepted push; the activity and the customer's key."""
    made = gateway.execute(
        "fanfare", "tenant", "create", "shop", "--no-signatures", "--json", "--config", "/etc/fanfare/fanfare.yaml")
    require(made.returncode == 0, f"no tenant is made: {made.stderr}")
    keys = json.loads(made.stdout)
    api, sdk = f"X-Api-Key: {keys['api_key']}", f"X-Sdk-Key: {keys['sdk_key']}"
    phone = {"insider_id": "ann", "udid": "phone-1"}
    customer(gateway, "PUT", "/api/v1/sdk/device", sdk, {
        **phone, "platform": "ios", "os_version": "18.1", "push_opt_in": True, "gdpr_consent": True,
        "environment": "production"})
    customer(gateway, "PUT", "/api/v1/sdk/push-to-start-token", sdk, {**phone, "token": "ab" * 32})
    ends_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
    activity = customer(gateway, "POST", "/api/v1/live-activity/register", api, {
        "activity_type": "Order", "insider_ids": ["ann"], "ends_at": ends_at})["activity_id"]
    started = customer(gateway, "POST", "/api/v1/live-activity/start", api, {
        "activity_id": activity, "activity_type": "Order",
        "content": {"title": "t", "message": "m", "content_state": {"n": 1}}})
    require(started["sessions_triggered"] == 1, f"the push was not accepted: {started}")
    return activity, api


def composed(place, image, services):
    """Starts the services, each when those before it are healthy."""
    volumes, running = {}, {}
    hosts = image.root / "etc/hosts"
    hosts.write_text("127.0.0.1 localhost " + " ".join(services) + "\n")
    for name, service in services.items():
        mounts = []
        for volume in service.get("volumes", []):
            if volume["source"] not in volumes:
                source = volumes[volume["source"]] = place.folder / f"volume-{volume['source']}"
                # An engine fills a new volume with what the image has there, owners and all.
                inside = image.root / volume["target"].lstrip("/")
                inside.mkdir(parents=True, exist_ok=True)
                subprocess.run(["cp", "--archive", inside, source], check=True)
            mounts.append((volumes[volume["source"]], volume["target"], volume.get("read_only", False)))
        say(f"service {name}")
        running[name] = Container(
            name, image, compose.words(service, image.stage), service.get("environment") or {}, mounts,
            service.get("read_only", False), compose.health(service, image.stage),
            image.stage.user if compose.is_ours(service) else "0:0")
        running[name].await_health()
    return running


def check_images(executable, folder, program):
    stages = dockerfile.stages((PACKAGING / "docker/Dockerfile").read_text())
    require(len(stages) == 2 and ("RUN", "make deb") in stages[0].steps, "the image is not made of the package")
    services = compose.services(program, PACKAGING / "docker/compose.yaml")
    with Place() as place:
        say("the image, on a bare Debian")
        suite = re.search(r"debian:(\w+)-slim", stages[1].base)[1]
        # In place of an image of its own Redis runs in this one, which has a redis-server.
        root = place.root(suite)
        image = Image(place, root, stages[1], folder)
        running = composed(place, image, services)
        gateway = running["gateway"]
        say("the doctor, as compose.yaml has it run")
        seen = gateway.execute("fanfare", "doctor")
        require(seen.returncode == 0, f"the shipped composition is not well:\n{seen.stdout}{seen.stderr}")
        activity, key = broadcast(gateway)
        say("the gateway stops in order, and goes on")
        status = gateway.stop(compose.seconds(services["gateway"]["stop_grace_period"]))
        require(status == 0, f"the gateway has ended with {status}")
        gateway.start()
        gateway.await_health()
        found = customer(gateway, "GET", f"/api/v1/live-activity/{activity}", key)
        require(found["state"] == "STARTED", f"the activity is gone: {found}")
        say("manifests for Kubernetes, bill of materials")
        mock = place.folder / "volume-mock" / "mock"
        text = (mock / "apns.env").read_text()
        variables = dict(re.findall(r"(?:export )?(FANFARE_\w+)=['\"]?([^'\"\n]*)", text))
        variables = {name: value.replace("/var/lib/fanfare/mock", str(mock)) for name, value in variables.items()}
        sealing_key = place.folder / "sealing.key"
        sealing_key.write_bytes(bytes(range(32)))
        sealing_key.chmod(0o600)
        credentials = {"variables": variables, "folder": place.folder, "sealing_key": sealing_key}
        wrong = list(kubernetes.findings(PACKAGING / "kubernetes", image.stage, executable, credentials))
        wrong += materials.findings(image.root, executable)
        require(not wrong, "\n".join(wrong))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("folder", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--compose", required=True)
    arguments = parser.parse_args()
    try:
        check_images(arguments.executable, arguments.folder, arguments.compose)
    except Failed as failure:
        sys.exit(f"check-containers: {failure}")
    say("the image is built, pushes, stops and goes on; the manifests are in order")


main()
