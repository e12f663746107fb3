"""Sends pushes with firebase-admin and aioapns, unchanged but for their URLs, to the mock providers. See README.md."""

import argparse
import asyncio
import datetime
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
COUNT = 20
DEVICE = "devicedevicedevicedevice:APA91b-0123456789_"


class CheckError(Exception):
    """A library did not get what it should."""


def expect(condition: bool, text: str) -> None:
    if not condition:
        raise CheckError(text)


@contextmanager
def mock(binary: Path, command: str, folder: Path, settings: str) -> Iterator[dict[str, str]]:
    """Runs a mock of a provider, and gives the values in its settings file. The mock writes its ledger when it ends."""
    with subprocess.Popen(
        [binary, command, "--port", "0", "--out-dir", folder], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        try:
            deadline = time.monotonic() + 30
            while not (folder / settings).exists():
                expect(process.poll() is None and time.monotonic() < deadline, f"{command} does not start")
                time.sleep(0.05)
            lines = (folder / settings).read_text().splitlines()
            yield dict(line.split("=", 1) for line in lines if "=" in line)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def accepted(folder: Path) -> int:
    lines = (folder / "ledger.ndjson").read_text().splitlines()
    return sum(1 for line in lines if json.loads(line).get("status") == 200)


def check_firebase(binary: Path, folder: Path) -> None:
    with mock(binary, "mock-fcm", folder, "fcm.env") as settings:
        # Both libraries for HTTP read these when they connect.
        os.environ["REQUESTS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = str(folder / "ca.pem")
        import firebase_admin
        from firebase_admin import credentials, messaging

        url = settings["FANFARE_FCM_URL"].strip("'\"")
        messaging._MessagingService.FCM_URL = url + "/v1/projects/{0}/messages:send"
        firebase_admin.initialize_app(credentials.Certificate(str(folder / "service-account.json")))
        message = messaging.Message(
            token=DEVICE, data={"live_activity_event": "start", "live_activity_id": "a"},
            android=messaging.AndroidConfig(priority="high", ttl=datetime.timedelta(minutes=5)))
        name = messaging.send(message)
        expect(name.startswith("projects/"), f"firebase-admin got {name}")
        replies = messaging.send_each([message] * COUNT)
        expect(replies.success_count == COUNT, f"send_each: {[r.exception for r in replies.responses]}")
        replies = asyncio.run(messaging.send_each_async([message] * COUNT))
        expect(replies.success_count == COUNT, f"send_each_async: {[r.exception for r in replies.responses]}")
    expect(accepted(folder) == 1 + 2 * COUNT, f"mock-fcm accepted {accepted(folder)} messages")
    print(f"firebase-admin: {1 + 2 * COUNT} messages over HTTP/1.1 and HTTP/2", flush=True)


async def push(folder: Path) -> None:
    from aioapns import APNs, NotificationRequest, PushType

    bundle = (folder / "bundle_id").read_text().strip()
    client = APNs(
        key=(folder / "key.p8").read_text(), key_id=(folder / "key_id").read_text().strip(),
        team_id=(folder / "team_id").read_text().strip(), topic=f"{bundle}.push-type.liveactivity",
        ssl_context=ssl.create_default_context(cafile=str(folder / "ca.pem")))
    for number in range(COUNT):
        request = NotificationRequest(
            device_token=f"{number + 1:064x}", push_type=PushType.LIVEACTIVITY, priority=10,
            message={"aps": {"timestamp": int(time.time()), "event": "update", "content-state": {"goals": number}}})
        result = await client.send_notification(request)
        expect(result.is_successful, f"aioapns got {result.status} {result.description}")


def check_apns(binary: Path, folder: Path) -> None:
    with mock(binary, "mock-apns", folder, "apns.env") as settings:
        from aioapns.connection import APNsProductionClientProtocol

        authority = settings["FANFARE_APNS_URL"].strip("'\"").removeprefix("https://")
        APNsProductionClientProtocol.APNS_SERVER = authority.rsplit(":", 1)[0]
        APNsProductionClientProtocol.APNS_PORT = int(authority.rsplit(":", 1)[1])
        asyncio.run(push(folder))
    expect(accepted(folder) == COUNT, f"mock-apns accepted {accepted(folder)} pushes")
    print(f"aioapns: {COUNT} pushes", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="libraries", description=__doc__)
    parser.add_argument("--binary", type=Path, default=REPOSITORY / ".build/debug/fanfare")
    binary = parser.parse_args().binary.resolve()
    try:
        with tempfile.TemporaryDirectory(prefix="fanfare-libraries-") as folder:
            for name, check in (("fcm", check_firebase), ("apns", check_apns)):
                path = Path(folder) / name
                path.mkdir()
                check(binary, path)
    except CheckError as error:
        print(f"libraries: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
