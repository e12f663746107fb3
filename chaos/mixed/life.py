"""The life of the activity, step by step; gateways are killed at moments that the seed chooses."""

import concurrent.futures
import datetime
import http.client
import json
import threading
import time

from harness.failure import ChaosFailure
from harness.progress import say

from .segment import APP_TYPE, END, MATCH, SYNCED, alert, content

TYPE = APP_TYPE.name
#: Updates between start and end.
UPDATES = 3
_PATIENCE = 180


class Life:
    def __init__(self, servers, phones, secrets, random):
        self.servers, self.phones, self.secrets, self.random = servers, phones, secrets, random
        self.activity = None
        self.broadcasts = []

    def live(self):
        names = "\n".join(phone.insider_id for phone in self.phones)
        self._call("PUT", "/api/v1/segments/all", names, kind="text/csv")
        ends_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)
        self.activity = self._call("POST", "/api/v1/live-activity/register", {
            "activity_type": TYPE, "segment": "all", "ends_at": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ")})["activity_id"]
        self._broadcast("start", {"content_state": content(MATCH, 0)} | alert(MATCH))
        self._sync()
        for number in range(1, UPDATES + 1):
            self._broadcast("update", {"content_state": content(MATCH, number)})
        self._broadcast("end", {"content_state": content(MATCH, END)})

    def states(self):
        """By udid."""
        states, cursor = {}, ""
        while True:
            query = f"limit=1000{'&cursor=' + cursor if cursor else ''}"
            page = self._call("GET", f"/api/v1/live-activity/{self.activity}/devices?{query}")
            states |= {device["udid"]: device["state"] for device in page["devices"]}
            cursor = page.get("cursor")
            if not cursor:
                return states

    def _broadcast(self, event, content):
        """Asked of one gateway; the other, or the same, is killed while it is carried out, and comes back."""
        asked, killed = self.random.randrange(2), self.random.randrange(2)
        delay, pause = self.random.uniform(0.05, 0.5), self.random.uniform(0.2, 1.5)
        answer = self._call("POST", f"/api/v1/live-activity/{event}", {
            "activity_id": self.activity, "activity_type": TYPE, "content": content}, gateway=asked,
            headers={"Prefer": "respond-async"})
        killing = threading.Thread(target=self._kill, args=(self.servers.gateways[killed], delay, pause))
        killing.start()
        try:
            deadline = time.monotonic() + _PATIENCE
            while True:
                record = self._call("GET", f"/api/v1/live-activity/broadcasts/{answer['broadcast_id']}")
                if record["state"] not in ("queued", "running", "paused"):
                    break
                if time.monotonic() > deadline:
                    raise ChaosFailure(f"the {event} has not ended in {_PATIENCE} s: {record}")
                time.sleep(0.1)
        finally:
            killing.join()
        say(f"{event}: gateway {killed} killed after {delay:.2f} s; {record['accepted']} of {record['total']} accepted")
        self.broadcasts.append(record)

    @staticmethod
    def _kill(gateway, delay, pause):
        time.sleep(delay)
        gateway.kill()
        time.sleep(pause)
        gateway.restart()
        gateway.wait_until_ready()

    def _sync(self):
        # Of a phone whose start is in doubt nobody knows whether it has anything to report.
        states = self.states()
        phones = [phone for phone in self.phones if phone.kind in SYNCED and states[phone.udid] == "pending"]
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(self._sync_part, (phones[first::16] for first in range(16))))
        say(f"{len(phones)} phones synced in {time.monotonic() - begin:.1f} s")

    def _sync_part(self, phones):
        connection = http.client.HTTPConnection("127.0.0.1", self.servers.gateways[0].port, timeout=60)
        for phone in phones:
            connection.request("POST", "/api/v1/sdk/sync", json.dumps(phone.sync(activity_id=self.activity)), {
                "X-Sdk-Key": self.secrets["sdk_key"], "Content-Type": "application/json"})
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != 200:
                raise ChaosFailure(f"the sync of {phone.udid} was answered {reply.status}: {text[:200]}")
        connection.close()

    def _call(self, method, path, body=None, gateway=None, headers=None, kind="application/json"):
        """Tried at one gateway after the other until one answers."""
        bytes_ = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        fields = {"X-Api-Key": self.secrets["api_key"], "Content-Type": kind} | (headers or {})
        deadline, index = time.monotonic() + _PATIENCE, gateway or 0
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
