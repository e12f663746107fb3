"""A match, step by step; gateways and Redis are killed at moments that the seed chooses."""

import concurrent.futures
import http.client
import json
import threading
import time

from harness.failure import ChaosFailure
from harness.progress import say
from harness.resp import Redis
from mixed import segment

TYPE = segment.APP_TYPE.name
#: The topic is named after its match.
TOPIC, OTHER = segment.MATCH, segment.OTHER
#: Contents between kick-off and full time, of the match and of the other one.
GOALS, OTHER_GOALS = 4, 1
#: One of this many phones that have reported is launched again and reports by type alone.
RELAUNCHES = 7
_PATIENCE = 180


class Match:
    """Of the phones in their order: half are on the customer's list, a quarter follow by their apps before, the last quarter
    while it is live. Every tenth of the list is told to stop following while it is live. Every fifth of the list follows
    another match as well, so its phone shows two Live Activities of one type."""

    def __init__(self, servers, phones, secrets, chance):
        self.servers, self.phones, self.secrets, self.random = servers, phones, secrets, chance
        half, quarter = len(phones) // 2, len(phones) // 4
        self.listed, self.early, self.late = phones[:half], phones[half:half + quarter], phones[half + quarter:]
        self.left, self.others = self.listed[::10], self.listed[::5]
        #: By topic.
        self.activities = {}
        #: By topic, the udids of devices that have reported. A device that was started late, after a kill, has not.
        self.synced = {}
        #: Sentences about reports that the gateway took for another activity.
        self.wrong_reports = []

    def play(self):
        for topic, listed in ((TOPIC, self.listed), (OTHER, self.others)):
            self._say("upcoming", 0, topic=topic)
            self._call("PUT", f"/api/v1/topics/{topic}/followers", "\n".join(p.insider_id for p in listed),
                       kind="text/csv")
        self._follow(self.early, "PUT")
        with self._harm("going live", redis=True):
            for topic in (TOPIC, OTHER):
                self._say("live", 0, topic=topic, **segment.alert(topic))
            # While the start of all is under way.
            self._follow(self.late[::2], "PUT")
        for topic in (TOPIC, OTHER):
            self.activities[topic] = self._until("an activity", lambda topic=topic: self._topic(topic).get("activity_id"))
        self._quiet("the start")
        # An alert without attributes: starts from now on have those of the first one.
        self._say("live", 0, title="t", message="The teams are known")
        with self._harm("the followers who come late"):
            self._follow(self.late[1::2], "PUT")
        self._quiet("late followers")
        self._sync()
        with self._harm("goals", redis=True):
            for goal in range(1, GOALS + 1):
                self._say("live", goal)
                if goal <= OTHER_GOALS:
                    self._say("live", goal, topic=OTHER)
                time.sleep(0.3)
        self._quiet("the goals")
        with self._harm("followers who leave"):
            self._follow(self.left, "DELETE")
        self._quiet("those who leave")
        with self._harm("full time", both=True):
            self._say("ended", segment.END)
            self._say("ended", segment.END, topic=OTHER)
        for topic in (TOPIC, OTHER):
            self._until("the end", lambda topic=topic: self._activity(topic)["state"] == "DEAD")
        self._quiet("full time")

    def states(self, topic):
        states, cursor = {}, ""
        while True:
            query = f"limit=1000{'&cursor=' + cursor if cursor else ''}"
            page = self._call("GET", f"/api/v1/live-activity/{self.activities[topic]}/devices?{query}")
            for device in page["devices"]:
                states.setdefault(device["udid"], []).append(device)
            cursor = page.get("cursor")
            if not cursor:
                return states

    # Steps

    def _say(self, state, step, topic=TOPIC, **more):
        self._call("PUT", f"/api/v1/topics/{topic}", {
            "activity_type": TYPE, "state": state, "content": {"content_state": segment.content(topic, step)} | more})

    def _follow(self, phones, method):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda phone: self._call(
                method, f"/api/v1/sdk/topics/{TOPIC}/follow", {"insider_id": phone.insider_id, "udid": phone.udid},
                key="sdk_key"), phones))

    def _sync(self):
        for topic in (TOPIC, OTHER):
            states = self.states(topic)
            phones = [p for p in self.phones if p.kind in segment.SYNCED
                      and any(d["state"] == "pending" for d in states.get(p.udid, []))]
            self._report(topic, phones, topic=topic)
            self.synced[topic] = {phone.udid for phone in phones}
            say(f"{len(phones)} phones synced with {topic}")
        for topic in (TOPIC, OTHER):
            # An Android phone has nothing that would tell its two Live Activities of a type apart.
            launched = [p for p in self.phones[::RELAUNCHES] if p.udid in self.synced[topic] and p.kind == "token"]
            self._report(topic, launched, activity_type=TYPE)

    def _report(self, match, phones, **named):
        def report(phone):
            answer = self._call("POST", "/api/v1/sdk/sync", phone.sync(match, **named), key="sdk_key")
            if answer.get("activity_id") != self.activities[match]:
                self.wrong_reports.append(f"{phone.udid} reported {match} by {named}, and the gateway took it for {answer}")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(report, phones))

    def _harm(self, step, both=False, redis=False):
        return Harm(self, step, both, redis)

    def _topic(self, topic):
        return self._call("GET", f"/api/v1/topics/{topic}")

    def _activity(self, topic):
        return self._call("GET", f"/api/v1/live-activity/{self.activities[topic]}")

    def _quiet(self, what):
        """Until no broadcast is under way, nobody waits to be seen to, and no number changes for four looks."""
        last, same = None, 0
        deadline = time.monotonic() + _PATIENCE
        while same < 4:
            if time.monotonic() > deadline:
                raise ChaosFailure(f"{what}: it does not end: {last}")
            read = [self._activity(topic) for topic in (TOPIC, OTHER)]
            broadcasts = [broadcast for each in read for broadcast in each["broadcasts"]]
            under_way = [b for b in broadcasts if b["state"] in ("queued", "running", "paused")]
            now = (json.dumps([each["counts"] for each in read], sort_keys=True), len(broadcasts), len(under_way))
            same = same + 1 if now == last and not under_way and self._is_seen_to() else 0
            last = now
            time.sleep(0.5)
        say(f"{what}: {last[0]}")

    def _is_seen_to(self):
        """True if nobody drives the topics, nobody waits for a driver, and their newest content was sent."""
        with Redis(self.servers.redis_port) as redis:
            for topic in (TOPIC, OTHER):
                key = redis.keys(f"fanfare:*:y:*:{topic}")[0]
                driver, sent, version = redis.call("HMGET", key, "driver", "sent", "version")
                waiting = redis.call("ZCOUNT", f"{key}/q", "-inf", int(time.time() * 1000))
                if driver is not None or sent != version or waiting:
                    return False
        return True

    def _until(self, what, body):
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            found = body()
            if found:
                return found
            time.sleep(0.2)
        raise ChaosFailure(f"{what} has not come in {_PATIENCE} s")

    def _call(self, method, path, body=None, key="api_key", kind="application/json"):
        bytes_ = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        header = "X-Sdk-Key" if key == "sdk_key" else "X-Api-Key"
        fields = {header: self.secrets[key], "Content-Type": kind}
        deadline, index = time.monotonic() + _PATIENCE, self.random.randrange(2)
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.servers.gateways[index].port, timeout=60)
            try:
                connection.request(method, path, bytes_, fields)
                reply = connection.getresponse()
                text = reply.read()
                if reply.status in (200, 202):
                    return json.loads(text)
                if reply.status < 500 or time.monotonic() > deadline:
                    raise ChaosFailure(f"{method} {path} was answered {reply.status}: {text[:300]}")
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() > deadline:
                    raise ChaosFailure(f"{method} {path}: {error}") from error
            finally:
                connection.close()
            index = 1 - index
            time.sleep(0.1)


class Harm:
    """Kills a gateway, or both, or one and Redis, while something goes on, and brings them back."""

    def __init__(self, match, step, both, redis):
        self.match, self.step = match, step
        self.redis = match.servers.redis if redis else None
        self.victims = match.servers.gateways if both else [match.servers.gateways[match.random.randrange(2)]]
        self.delay, self.pause = match.random.uniform(0.05, 0.6), match.random.uniform(0.2, 1.5)
        self.thread = threading.Thread(target=self._carry_out)

    def _carry_out(self):
        time.sleep(self.delay)
        for gateway in self.victims:
            gateway.kill()
        if self.redis:
            self.redis.kill()
        time.sleep(self.pause)
        if self.redis:
            self.redis.start()
        for gateway in self.victims:
            gateway.restart()
        for gateway in self.victims:
            gateway.wait_until_ready()

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.thread.join()
        say(f"{self.step}: {len(self.victims)} killed after {self.delay:.2f} s{' with Redis' if self.redis else ''}")
