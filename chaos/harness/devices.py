"""Phones that report the tokens of their Live Activities, each at its time."""

import heapq
import random
import threading
import time

from .client import Client
from .customers import TYPE
from .journal import Sync, now


class Phones:
    """A few threads that carry out the syncs of all phones."""

    THREADS = 3
    #: One phone of this many reports its token a second time, as an app does after a relaunch.
    RELAUNCHES = 7
    #: Seconds until the second report.
    RELAUNCH = 1.5

    def __init__(self, run):
        self.run = run
        self.condition = threading.Condition()
        self.due = []
        self.under_way = 0
        self.is_closing = False
        self.threads = [threading.Thread(target=self._work, args=(index,), name=f"phones-{index}", daemon=True)
                        for index in range(self.THREADS)]
        for thread in self.threads:
            thread.start()

    def sync(self, activity, device, delay):
        self._schedule(delay, device, activity.id, activity.number, device % self.RELAUNCHES == 0)

    def _schedule(self, delay, *entry):
        with self.condition:
            heapq.heappush(self.due, (time.monotonic() + delay, *entry))
            self.condition.notify()

    def finish(self, timeout):
        """All that are still to come, come now. Returns how many could not be waited for, and how many were not: on a
        busy machine these are many, and those only mean something when nothing went forward."""
        deadline = time.monotonic() + timeout
        with self.condition:
            waiting = len(self.due) + self.under_way
            self.due = [(0, *rest) for _, *rest in self.due]
            heapq.heapify(self.due)
            self.condition.notify_all()
            while (self.due or self.under_way) and time.monotonic() < deadline:
                self.condition.wait(0.2)
            self.is_closing = True
            self.condition.notify_all()
            left = len(self.due) + self.under_way
            return left, waiting - left

    def _next(self):
        with self.condition:
            while not self.is_closing:
                wait = self.due[0][0] - time.monotonic() if self.due else 1
                if wait <= 0:
                    self.under_way += 1
                    return heapq.heappop(self.due)
                self.condition.wait(min(wait, 1))
        return None

    def _work(self, index):
        run = self.run
        client = Client(run.ports, {"X-Sdk-Key": run.tenant["sdk_key"]}, random.Random(f"{run.seed} phones {index}"),
                        run.is_at_end)
        while (entry := self._next()) is not None:
            try:
                self._sync(client, *entry[1:])
            finally:
                with self.condition:
                    self.under_way -= 1
                    self.condition.notify_all()

    def _sync(self, client, device, activity, number, may_relaunch, is_relaunched=False):
        """An app reports the newest activity by its id. After a relaunch it knows the type alone."""
        people = self.run.people
        token = people.update_token(number, device)
        body = people.pair(device) | {"token": token}
        if people.system_id(number, device):
            body["system_activity_id"] = people.system_id(number, device)
        if is_relaunched or people.has_one_live_activity(device):
            record = self._report(client, Sync(activity, device, token, now(), way="type"), body | {
                "activity_type": TYPE})
            # A Redis that throws keys away forgets which Live Activity a token is of.
            if record.outcome.startswith("409") and not self.run.options.evict:
                self.run.journal.odd(f"device {device} reported {token[:24]}… of activity {activity} by type alone, and"
                                     f" was answered {record.outcome}")
        else:
            record = None
        if record is None or not is_relaunched and record.outcome.startswith("404"):
            record = self._report(client, Sync(activity, device, token, now()), body | {"activity_id": activity})
        if record.acknowledged_at is not None and may_relaunch:
            self._schedule(self.RELAUNCH, device, activity, number, False, True)

    def _report(self, client, record, body):
        self.run.journal.add(record)
        answer = client.persist("POST", "/api/v1/sdk/sync", body, record=record, budget=40, timeout=4)
        record.outcome = "no answer" if answer.status is None else f"{answer.status} {answer.code or ''}".strip()
        if answer.status == 200:
            record.acknowledged_at, record.answered_activity = now(), answer.body.get("activity_id")
        return record
