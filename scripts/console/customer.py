"""A tenant as its marketing system and its app see the gateway."""

import hashlib
import json
import pathlib
import time

from .servers import StageFailure, call

TYPE = "MatchAttributes"


def instant(seconds):
    """So many seconds from now, after RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


class Customer:
    """A tenant that demands no signatures."""

    def __init__(self, stage, name, tier="growth"):
        self.stage, self.name = stage, name
        created = json.loads(stage.command("tenant", "create", name, "--tier", tier, "--no-signatures", "--json"))
        self.id, self.api_key, self.sdk_key = created["tenant_id"], created["api_key"], created["sdk_key"]

    def ask(self, method, path, body=None, expected=(200, 201, 202), **headers):
        """A call of the marketing system's; the path follows `/api/v1/`."""
        status, text = call(
            method, f"{self.stage.url}/api/v1/{path}", body, {"X-Api-Key": self.api_key, **headers})
        if status not in expected:
            raise StageFailure(f"{method} {path}: {status} {text}")
        return json.loads(text) if text else None

    def report(self, method, path, body, expected=(200, 202)):
        """A call of a device's; the path follows `/api/v1/sdk/`."""
        status, text = call(method, f"{self.stage.url}/api/v1/sdk/{path}", body, {"X-Sdk-Key": self.sdk_key})
        if status not in expected:
            raise StageFailure(f"{method} {path}: {status} {text}")

    def import_devices(self, devices):
        """Devices as `PUT device` takes them, with their tokens."""
        file = pathlib.Path(self.stage.folder, f"{self.id}.ndjson")
        file.write_text("".join(json.dumps(device) + "\n" for device in devices))
        self.stage.command("devices", "import", str(file), "--tenant", self.id, "--json")

    def upload(self, segment, users):
        body = "".join(json.dumps(user) + "\n" for user in users).encode()
        self.ask("PUT", f"segments/{segment}", body, **{"Content-Type": "application/x-ndjson"})

    def register(self, segment=None, users=None, activity_type=TYPE, **options):
        who = {"segment": segment} if segment else {"insider_ids": users}
        return self.ask("POST", "live-activity/register", {
            "activity_type": activity_type, "ends_at": instant(7200), "options": options or None, **who})["activity_id"]

    def broadcast(self, kind, activity, content, activity_type=TYPE, wait=False, **options):
        """Starts, updates or ends an activity. Returns the broadcast's id."""
        headers = {} if wait else {"Prefer": "respond-async"}
        return self.ask("POST", f"live-activity/{kind}", {
            "activity_id": activity, "activity_type": activity_type, "content": content, "options": options or None},
            **headers).get("broadcast_id")

    def where(self, broadcast):
        return self.ask("GET", f"live-activity/broadcasts/{broadcast}")

    def sync(self, activity, device, number):
        self.report("POST", "sync", {**device, "activity_id": activity, "token": f"{number:064x}"})


def phone(number, prefix="fan"):
    """Who a made-up phone is."""
    return {"insider_id": f"{prefix}-{number:05d}", "udid": f"phone-{prefix}-{number:05d}"}


def iphone(number, prefix="fan", salt=0):
    """An iPhone with its push-to-start token; `salt` keeps the tokens of tenants apart."""
    return {
        **phone(number, prefix), "platform": "ios", "os_version": "18.1", "app_version": "7.4.0", "push_opt_in": True,
        "gdpr_consent": True, "environment": "production", "push_to_start_token": f"{salt * 10**9 + number + 1:064x}"}


def android(number, prefix="droid", salt=0):
    """An Android phone with its registration token."""
    digits = hashlib.sha256(b"%d %d" % (salt, number)).hexdigest()
    return {
        **phone(number, prefix), "platform": "android", "os_version": "16", "app_version": "7.4.0", "push_opt_in": True,
        "gdpr_consent": True, "environment": "production", "registration_token": f"droid:{digits}"}
