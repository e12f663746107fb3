"""Marketing systems: each takes one activity after the other through its life, and tries again as a real one would."""

import random
import threading
import time

from . import answers
from .client import Client
from .journal import Activity, Call, now

TYPE = "MatchAttributes"
_PATH = "/api/v1/live-activity"
#: For how many seconds the content of some starts is fresh: a fault of the provider may outlast it.
_BRIEF = 12
#: How a start is asked for, and how often.
START_STYLES = {"plain": 32, "key": 24, "duplicates": 22, "duplicates with key": 12, "targets": 10}


class Customer:
    """One marketing system, in a thread of its own."""

    def __init__(self, run, index, is_running=True):
        self.run = run
        self.index = index
        self.random = random.Random(f"{run.seed} customer {index}")
        self.client = self._client()
        self.keys = 0
        self.thread = threading.Thread(target=self._work, name=f"customer-{index}", daemon=True)
        if is_running:
            self.thread.start()

    def _client(self):
        return Client(self.run.ports, {"X-Api-Key": self.run.tenant["api_key"]},
                      random.Random(self.random.getrandbits(64)), self.run.is_at_end)

    def _work(self):
        while not self.run.is_closing():
            try:
                self._life()
            except Exception as error:  # A customer that is gone would make the run look better than it was.
                self.run.journal.odd(f"customer {self.index} broke down: {error!r}")
                raise

    @classmethod
    def probe(cls, run):
        """After all: a start of a new activity is taken, so nothing that is gone counts as unfinished for ever."""
        customer = cls(run, "probe", is_running=False)
        activity = customer._register()
        call = customer._call("start", activity, None) if activity else None
        if call:
            customer._carry_out(call, customer.client)
        if not call or not call.is_acknowledged:
            run.journal.odd(f"a start after all was over: {call.outcome if call else 'nothing registered'}")

    # The life of an activity

    def _life(self):
        activity = self._register()
        if activity is None:
            return
        if not self._start(activity):
            return
        self._phones_sync(activity)
        self._pause(0.4, 1.5)
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            if self.run.is_closing():
                break
            self.random.choice([self._update, self._update, self._burst, self._targeted_update])(activity)
            self._pause(0.2, 2.0)
        draw = self.random.random()
        if draw < 0.2:
            self._end(activity, self._some(activity.started_devices, 20))
            self._pause(0.2, 1.0)
        if draw < 0.9:
            self._end(activity, None)

    def _register(self):
        people, chance = self.run.people, self.random
        size = chance.choice([chance.randint(20, 80), chance.randint(80, 200), chance.randint(200, 500)])
        if chance.random() < 0.12:
            # More than fits on a page of tokens, and more than may be in doubt after a loss.
            size = min(chance.choice([1400, 3500]), people.count)
        chosen = self.run.take(chance.sample(range(people.count), size))
        later = chosen[-10:] if chance.random() < 0.2 else []
        chosen = chosen[:len(chosen) - len(later)]
        body = {"activity_type": TYPE, "insider_ids": [people.insider_id(number) for number in chosen],
                "ends_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now() + 7200))}
        headers = {"Idempotency-Key": self._key()} if chance.random() < 0.5 else {}
        answer = self.client.persist("POST", f"{_PATH}/register", body, headers)
        if answer.status != 200:
            self._check_answer("register", "register", answer, self._living(chosen))
            return None
        identifier = answer.body["activity_id"]
        registered = self._check_registered("register", identifier, chosen, answer)
        least = most = registered
        if later:
            tries = Call(0, "add-users", identifier)
            answer = self.client.persist("POST", f"{_PATH}/add-users", {
                "activity_id": identifier, "activity_type": TYPE,
                "insider_ids": [people.insider_id(number) for number in later]}, record=tries)
            if answer.status != 200:
                # Nobody knows whether they are in; such an activity tells nothing.
                self._check_answer("add-users", "add-users", answer, self._living(later))
                return None
            if len(tries.attempts) == 1:
                least = most = registered + self._check_registered("add-users", identifier, later, answer)
            else:
                # A repetition does not count those that the first one brought in.
                least, most = registered, registered + len(later)
        eligible = [number for number in chosen + later if people.is_eligible(number)]
        activity = Activity(identifier, self.run.next_activity(), eligible, eligible, least, most)
        self.run.journal.add(activity)
        return activity

    def _check_registered(self, what, identifier, numbers, answer):
        """How many devices the gateway took. A dead token counts until the provider has said that it is dead."""
        people, count = self.run.people, answer.body.get("registered_devices", -1)
        most = sum(people.is_eligible(number) for number in numbers)
        least = sum(people.can_show_live_activities(number) for number in numbers)
        if not least <= count <= most:
            self.run.journal.odd(f"{what} of activity {identifier} answered {count} devices, and {least} to {most} are"
                                 " eligible")
        return count

    # Starts

    def _start(self, activity):
        """Whether it is started."""
        style = self.random.choices(list(START_STYLES), START_STYLES.values())[0]
        targets = None
        if style == "targets":
            targets = self._some(activity.devices, 60)
            activity.started_devices = targets
            activity.least = activity.most = len(targets)
        if style.startswith("duplicates"):
            calls = self._concurrent_starts(activity, self._key() if style.endswith("key") else None)
        else:
            call = self._call("start", activity, targets, self._key() if style == "key" else None)
            self._carry_out(call, self.client)
            if style == "key" and call.is_acknowledged:
                # Once more, as after an answer that was lost: to another gateway, with the same answer.
                self._carry_out(call, self.client, self.client.any_gateway(call.attempts[-1].gateway))
            calls = [call]
        return any(call.is_acknowledged or call.outcome == "409 ALREADY_STARTED" for call in calls)

    def _concurrent_starts(self, activity, key):
        calls, threads = [], []
        for index in range(3):
            call = self._call("start", activity, None, key)
            if key and calls:
                # The same body to the letter.
                call.number = calls[0].number
                call.is_async = calls[0].is_async
                call.expires_at = calls[0].expires_at
            calls.append(call)
            threads.append(threading.Thread(
                target=self._carry_out, args=(call, self._client(), index % len(self.run.ports)), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return calls

    # Updates and ends

    def _update(self, activity):
        self._patiently(self._call("update", activity, None))

    def _targeted_update(self, activity):
        self._patiently(self._call("update", activity, self._some(activity.started_devices, 30)))

    def _burst(self, activity):
        """Ten in a second, to gateways as they come."""
        threads = []
        for _ in range(10):
            call = self._call("update", activity, None)
            threads.append(threading.Thread(target=self._carry_out, args=(call, self._client()), daemon=True))
            threads[-1].start()
            time.sleep(0.1)
        for thread in threads:
            thread.join()

    def _end(self, activity, targets):
        self._patiently(self._call("end", activity, targets))

    def _patiently(self, call):
        """While no device has synced the gateway asks to come again."""
        for _ in range(4):
            answer = self._carry_out(call, self.client)
            if answer.code != "DEVICE_NOT_SYNCED" or self.run.is_closing():
                return
            self._pause(1, 2)

    # Calls

    def _call(self, kind, activity, targets, key=None):
        is_async = self.random.random() < 0.3
        is_brief = kind == "start" and self.random.random() < 0.1
        return self.run.journal.call(kind, activity.id, targets=targets, key=key, is_async=is_async,
                                     expires_at=int(now()) + _BRIEF if is_brief else None)

    def _carry_out(self, call, client, gateway=None):
        activity = self.run.journal.activities[call.activity]
        content = {"content_state": {"call": call.number, "activity": activity.number, "text": "x" * 60}}
        if call.kind == "start":
            content |= {"title": "Kick-off", "message": "The match begins", "attributes": {"match": activity.number}}
        body = {"activity_id": activity.id, "activity_type": TYPE, "content": content}
        if call.targets is not None:
            body["target_devices"] = [self.run.people.pair(number) for number in call.targets]
        if call.expires_at is not None:
            body["options"] = {"expiration": call.expires_at}
        headers = {"Prefer": "respond-async"} if call.is_async else {}
        if call.key:
            headers["Idempotency-Key"] = call.key
        if call.kind == "end":
            activity.may_be_over |= call.targets is None
            activity.ended_live_activities.update(call.targets or ())
        answer = client.persist("POST", f"{_PATH}/{call.kind}", body, headers, call, gateway=gateway)
        if answer.status in (200, 202) and answer.body.get("broadcast_id") and call.kind == "start":
            self._wait_for_end(client, answer.body["broadcast_id"])
        addressed = activity.started_devices if call.targets is None else call.targets
        living = (self._living(addressed) if call.kind == "start" else
                  sum(self.run.people.keeps_live_activities(each) and each not in activity.ended_live_activities for each in addressed))
        self._check_answer(call.kind, f"{call.kind} of {call.activity}", answer, living, activity.may_be_over)
        return answer

    def _living(self, numbers):
        return sum(self.run.people.can_show_live_activities(number) for number in numbers)

    def _wait_for_end(self, client, broadcast):
        """Polls, on gateways as they come, for a while."""
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline and not self.run.is_closing():
            answer = client.request(client.any_gateway(), "GET", f"{_PATH}/broadcasts/{broadcast}", timeout=3)
            if answer.body.get("state") in ("done", "failed", "superseded"):
                return
            time.sleep(0.25)

    def _check_answer(self, kind, what, answer, living, may_be_over=False):
        is_final = answer.status is not None and answer.status < 500 and answer.status != 429
        # A Redis that throws keys away forgets activities and the devices in them.
        if self.run.options.evict and answer.code in ("NOT_FOUND", "NO_ELIGIBLE_DEVICE"):
            return
        if is_final and not answers.is_rightful(kind, answer.status, answer.code, living, may_be_over):
            self.run.journal.odd(f"{what} was answered {answer.status} {answer.body}")

    # Phones

    def _phones_sync(self, activity):
        """Most at once, some late (also after the end), some never."""
        without_a_live_activity = self._without_a_live_activity(activity)
        for number in activity.started_devices:
            draw = self.random.random()
            if not self.run.people.can_show_live_activities(number) or draw < 0.08:
                continue
            if self.run.people.insider_id(number) in without_a_live_activity:
                continue
            self.run.phones.sync(activity, number, self.random.uniform(0, 1.5) if draw < 0.85
                                 else self.random.uniform(3, 15))

    def _without_a_live_activity(self, activity):
        """The users whose phone may have got no push. It would report nothing; and a report proves that it got one."""
        users = set()
        # The start may go on meanwhile: whoever is registered may come to be unknown between two looks, or the other way
        # round.
        for state in ("registered", "unknown", "unsent", "failed", "registered"):
            cursor = ""
            while True:
                answer = self.client.persist(
                    "GET", f"{_PATH}/{activity.id}/devices?state={state}&limit=1000{cursor}", budget=10, timeout=4)
                users.update(device["insider_id"] for device in answer.body.get("devices", ()))
                if not answer.body.get("cursor"):
                    break
                cursor = f"&cursor={answer.body['cursor']}"
        return users

    def _some(self, devices, most):
        return self.random.sample(devices, min(len(devices), self.random.randint(1, most)))

    def _key(self):
        self.keys += 1
        return f"{self.run.seed}-{self.index}-{self.keys}"

    def _pause(self, low, high):
        end = time.monotonic() + self.random.uniform(low, high)
        while time.monotonic() < end and not self.run.is_closing():
            time.sleep(0.05)
