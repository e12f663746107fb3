"""What a fuzzed gateway holds: things that requests can mean, and another tenant's, which no answer may tell of."""

import datetime

from attack.wire import ask
from harness.failure import ChaosFailure

TYPE = "FuzzAttributes"
#: Stands in everything that is the other tenant's.
MARK = "kEpTsEcReT"
USERS = 12


class People:
    def __init__(self, scene):
        self.scene = scene
        # How often devices may report is not what this is about.
        self.fuzzed = scene.tenant("fuzzed", device_sdk_requests_per_minute="off", user_sdk_requests_per_minute="off",
                                   new_devices_per_minute="off", opened_activities_per_user=200)
        self.other = scene.tenant(f"other {MARK}")
        self.known = {}
        self._made(self.other, MARK)
        self.refresh()

    def refresh(self):
        """What requests may have ended or deleted is there again."""
        self.known = self._made(self.fuzzed, "fuzz")

    @property
    def secrets(self):
        return [MARK.encode(), *(self.other[name].encode() for name in ("api_key", "sdk_key", "identity_secret"))]

    def others_things(self):
        """Whether all of them are as they were: sentences on what is not."""
        customer = {"X-Api-Key": self.other["api_key"]}
        for path, field, expected in ((f"/api/v1/segments/{MARK}", "users", 3), (f"/api/v1/topics/{MARK}", "state", "upcoming"),
                                      (f"/api/v1/live-activity/{self.activity}", "state", "REGISTERED")):
            answer = ask(self.scene.ports[0], "GET", path, customer)
            if answer is None or answer.status != 200:
                yield f"{path} of the other tenant is answered {answer}"
            elif answer.object.get(field) != expected:
                yield f"{path} of the other tenant has {field} {answer.object.get(field)}, not {expected}"

    def _made(self, tenant, mark):
        """Users with devices, a segment, a topic, a webhook, activities: by a field's name what may stand in it."""
        customer, app, port = {"X-Api-Key": tenant["api_key"]}, {"X-Sdk-Key": tenant["sdk_key"]}, self.scene.ports[0]
        users = [f"{mark}-{number}" for number in range(3 if mark == MARK else USERS)]
        for number, user in enumerate(users):
            device = {"insider_id": user, "udid": f"phone-{user}"}
            self._call(port, "PUT", "/api/v1/sdk/device", app, device | {
                "platform": "ios", "os_version": "17.5", "push_opt_in": True, "gdpr_consent": True, "environment": "production"})
            self._call(port, "PUT", "/api/v1/sdk/push-to-start-token", app, device | {"token": f"{number:02x}" * 32})
        self._call(port, "PUT", f"/api/v1/segments/{mark}", customer | {"Content-Type": "text/csv"}, "\n".join(users))
        # Of the fuzzed tenant it may be live, or under another lock: it is there, which is all that matters.
        ask(port, "PUT", f"/api/v1/topics/{mark}", customer, {"activity_type": TYPE, "state": "upcoming"})
        ends_at = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
        activities = [self._call(port, "POST", "/api/v1/live-activity/register", customer, {
            "activity_type": TYPE, "insider_ids": users, "ends_at": ends_at})["activity_id"] for _ in range(1 if mark == MARK else 4)]
        if mark == MARK:
            self.activity = activities[0]
            return {}
        broadcasts = []
        for activity in activities[:2]:
            answer = self._call(port, "POST", "/api/v1/live-activity/start", customer, {
                "activity_id": activity, "activity_type": TYPE,
                "content": {"title": "t", "message": "m", "content_state": {"a": 1}, "attributes": {}}})
            broadcasts.append(answer["broadcast_id"])
        for number, user in enumerate(users[:4]):
            report = {"insider_id": user, "udid": f"phone-{user}", "token": f"{number:02x}" * 20, "activity_type": TYPE}
            ask(port, "POST", "/api/v1/sdk/sync", app, report | {"external_id": f"own-{number}"})
            ask(port, "POST", "/api/v1/sdk/sync", app, report | {"activity_id": activities[0], "system_activity_id": f"system-{number}"})
        listing = ask(port, "GET", "/api/v1/webhooks", customer)
        hooks = [hook["id"] for hook in (listing.object.get("webhooks") or [])] if listing else []
        for hook in hooks[3:]:
            ask(port, "DELETE", f"/api/v1/webhooks/{hook}", customer)
        made = ask(port, "POST", "/api/v1/webhooks", customer, {"url": "https://127.0.0.1.invalid/"})
        hooks = [*hooks[:3], (made.object if made else {}).get("id", "none")]
        return {
            "insider_id": users, "udid": [f"phone-{user}" for user in users],
            "activity_id": activities, "activity_type": [TYPE], "external_id": [f"own-{number}" for number in range(4)],
            "system_activity_id": [f"system-{number}" for number in range(4)],
            "segment": [mark], "name": [mark, "other"], "topic": [mark, "other-topic"], "broadcast_id": broadcasts,
            "webhook_id": hooks, "ends_at": [ends_at],
            "token": ["ab" * 32, "cd" * 40], "os_version": ["17.5", "18.1"], "url": ["https://127.0.0.1.invalid/x"]}

    @staticmethod
    def _call(port, method, path, headers, body):
        answer = ask(port, method, path, headers, body, timeout=20)
        if answer is None or answer.status not in (200, 201, 202):
            raise ChaosFailure(f"{method} {path} was answered {answer}")
        return answer.object
