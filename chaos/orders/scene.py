"""Redis, the provider and two gateways, and the activities that are tracked."""

import dataclasses
import json
import random
import time

from attack.wire import BrokenAnswer, Wire, request
from harness.failure import ChaosFailure
from harness.gateways import Gateways
from harness.provider import Provider
from harness.redis_servers import SingleRedis

from .audit import APP_TYPE, WINDOW
from .journal import Activity, Journal

TYPE = APP_TYPE.name
PATH = "/api/v1/live-activity"
#: Tenants whose callers keep to the rate, and behind them the greedy one.
TENANTS, GREEDY = 3, 3
#: Activities of a tenant: of one device, of three, and of one whose updates are paced.
ONE, THREE, PACED = 14, 2, 2
#: Of the greedy tenant.
GREEDY_ONES = 4
#: Users of a tenant with a device for an activity that is started while all goes on.
SPARE = 120
#: What is allowed to a key in a minute, for each second of the load that falls into one.
_RATE_FOR_A_SECOND = 100
#: How long the provider takes at most, in milliseconds: one of these in a run.
_LATENCIES = (4, 15, 60)
#: How slow the provider may become.
SLOW = {"min_ms": 100, "max_ms": 900}


@dataclasses.dataclass
class Tenant:
    index: int
    api_key: str
    sdk_key: str
    #: Users of whom no activity has been made.
    spare: list


class Scene:
    """Whoever takes part in a run."""

    def __init__(self, place, seed, seconds):
        self.place, self.seed = place, seed
        self.journal = Journal()
        self.limit = int(_RATE_FOR_A_SECOND * min(seconds, WINDOW))
        self.redis = SingleRedis(place, "always")
        self.provider = Provider(
            place, {"latency": {"min_ms": 1, "max_ms": random.Random(f"{seed} latency").choice(_LATENCIES)}})
        environment = self.provider.environment() | self.redis.environment | {
            "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": str(self.limit), "FANFARE_BROADCAST_MIN_INTERVAL": "0s",
            "FANFARE_LOG_FORMAT": "text", "FANFARE_APNS_URL": self.provider.url(self.provider.port),
            "FANFARE_APNS_SANDBOX_URL": self.provider.url(self.provider.port)}
        self.gateways = Gateways(place, environment, [{}, {}])
        self.tenants = [self._tenant(index) for index in range(TENANTS + 1)]
        self.activities = [[] for _ in self.tenants]
        for tenant in self.tenants:
            sizes = [(1, None)] * GREEDY_ONES if tenant.index == GREEDY else (
                [(1, None)] * ONE + [(3, None)] * THREE + [(1, 1)] * PACED)
            for size, interval in sizes:
                self.activities[tenant.index].append(self._track(tenant, size, interval))

    def port(self, gateway):
        return self.gateways.all[gateway].port

    def headers(self, tenant):
        return {"X-Api-Key": self.tenants[tenant].api_key}

    # An activity's begin

    def register(self, tenant, size, interval=None, gateway=0, patience=10):
        """An activity that is not started yet, or None."""
        users, tenant.spare = tenant.spare[:size], tenant.spare[size:]
        more = {} if interval is None else {"options": {"min_update_interval": interval}}
        answer = self.call(tenant, gateway, "POST", f"{PATH}/register", {
            "activity_type": TYPE, "insider_ids": users,
            "ends_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))} | more, patience)
        if answer.status != 200:
            return None
        activity = Activity(answer.body["activity_id"], len(self.journal.activities) + 1, tenant.index,
                            [_device(user) for user in users], [_start_token(tenant.index, user) for user in users], [], interval is not None)
        self.journal.activities[activity.id] = activity
        return activity, users

    def start(self, tenant, activity, gateway, patience=15):
        attempt = self.call(tenant, gateway, "POST", f"{PATH}/start", {
            "activity_id": activity.id, "activity_type": TYPE, "content": {
                "title": "Your order", "message": "is being prepared", "attributes": {"activity": activity.number},
                "content_state": {"activity": activity.number, "call": 0}}}, patience)
        self.journal.add_start(activity, attempt)
        return attempt

    def call(self, tenant, gateway, method, path, body=None, patience=10):
        """One request on a connection of its own."""
        attempt = self.journal.attempt(tenant.index, gateway, time.time())
        try:
            with Wire(self.port(gateway), timeout=patience) as wire:
                answer = wire.call(method, path, self.headers(tenant.index), body)
        except (OSError, BrokenAnswer):
            answer = None
        if answer:
            attempt.answered(time.time(), answer.status, answer.object)
        return attempt

    def _track(self, tenant, size, interval):
        """One that is started, whose devices have all reported."""
        activity, users = self.register(tenant, size, interval) or (None, ())
        if activity is None:
            raise ChaosFailure(f"no activity was registered, {self.journal.requests[tenant.index][-1]}")
        started = self.start(tenant, activity, 0)
        if started.status != 200:
            raise ChaosFailure(f"an activity was not started, {started}: {started.body}")
        with Wire(self.port(0)) as wire:
            for user in users:
                token = f"bb{activity.number:06x}{_start_token(tenant.index, user)[8:]}"
                answer = wire.call("POST", "/api/v1/sdk/sync", {"X-Sdk-Key": tenant.sdk_key}, _device(user) | {
                    "activity_id": activity.id, "token": token})
                if answer is None or answer.status != 200:
                    raise ChaosFailure(f"a sync was answered {answer}")
                activity.tokens.append(token)
        return activity

    def _tenant(self, index):
        secrets = json.loads(self._fanfare(
            "tenant", "create", f"orders-{index}", "--tier", "enterprise", "--no-signatures", "--json"))
        users = [f"user-{number}" for number in range(ONE + 3 * THREE + PACED + SPARE)]
        path = self.place.path(f"devices-{index}.ndjson")
        with open(path, "w", encoding="ascii") as file:
            for user in users:
                file.write(json.dumps(_device(user) | {
                    "platform": "ios", "os_version": "17.5",
                    "push_opt_in": True, "gdpr_consent": True, "environment": "production",
                    "push_to_start_token": _start_token(index, user)}) + "\n")
        self._fanfare("devices", "import", path, "--tenant", secrets["tenant_id"])
        return Tenant(index, secrets["api_key"], secrets["sdk_key"], users)

    def _fanfare(self, *arguments):
        return self.place.run(f"fanfare {arguments[0]}", [self.place.first, *arguments], self.gateways.environment)


def _device(user):
    return {"insider_id": user, "udid": f"phone-{user}"}


def _start_token(tenant, user):
    return f"aa{tenant:06x}{int(user.rsplit('-', 1)[-1]):08x}" + "0" * 48


def update(activity, number, targets=None):
    """The body of an update."""
    body = {"activity_id": activity.id, "activity_type": TYPE,
            "content": {"content_state": {"activity": activity.number, "call": number}}}
    return body if targets is None else body | {"target_devices": targets}


def update_request(headers, body):
    return request("POST", f"{PATH}/update", headers, body)
