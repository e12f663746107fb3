"""Phones that report the tokens of their Live Activities, each at its time."""

import heapq
import random
import threading
import time

from .client import Client
from .journal import Sync, now


class Phones:
    """A few threads that carry out the syncs of all phones."""

    THREADS = 3
    #: Of so many phones one reports its token a second time, as an app does after a relaunch.
    RELAUNCHES = 8
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

    def _sync(self, client, device, activity, number, is_repeated):
        people = self.run.people
        record = Sync(activity, device, people.update_token(number, device), now())
        self.run.journal.add(record)
        answer = client.persist("POST", "/api/v1/sdk/sync", people.pair(device) | {
            "activity_id": activity, "token": record.token}, record=record, budget=40, timeout=4)
        record.outcome = "no answer" if answer.status is None else f"{answer.status} {answer.code or ''}".strip()
        if answer.status == 200:
            record.acknowledged_at = now()
            if is_repeated:
                self._schedule(self.RELAUNCH, device, activity, number, False)
