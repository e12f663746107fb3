import unittest

from harness.ledger import Push
from orders import audit, plan
from orders.journal import Activity, Attempt, Call, Start, prefix_of

A, B = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2"


def _id(number):
    return f"{number:08x}-0000-4000-8000-000000000000"


def _record(accepted, **more):
    return 200, {"kind": "update", "state": "done", "total": accepted, "accepted": accepted, "failed": {}, "skipped": {}} | more


def _good():
    """An activity of one device and one of two, with four updates each; the second of each was superseded."""
    activities = {A: Activity(A, 1, 0, [{}], ["s1"], ["t1"]), B: Activity(B, 2, 0, [{}, {}], ["s2", "s3"], ["t2", "t3"])}
    evidence = audit.Evidence(activities, [], [], {0: []}, 20, {}, {}, [])
    for index, activity in enumerate(activities.values()):
        start = Attempt(0, 900.0 + index)
        start.answered(900.5 + index, 200, {"broadcast_id": _id(index + 90)})
        evidence.starts.append(Start(activity.id, start))
        refusal = Attempt(0, 950.0 + index)
        refusal.answered(950.1 + index, 409, {"code": "ALREADY_STARTED"})
        evidence.starts.append(Start(activity.id, refusal))
        evidence.kept[_id(index + 90)] = {"activity": activity.id, "kind": "start", "state": "done"}
        for token in activity.start_tokens:
            evidence.pushes.append(_push(0, token, 900, _id(index + 90), event="start"))
        for number in range(1 + 10 * index, 5 + 10 * index):
            _update(evidence, activity, number, is_superseded=number % 10 == 2)
        evidence.last_words[activity.id] = 4 + 10 * index
        # The one that was superseded may have begun, or not.
        evidence.hours[activity.id] = 3 + index
    return evidence


def _update(evidence, activity, number, is_superseded=False):
    call, attempt = Call(number, activity.id, activity.tokens), Attempt(0, 1000.0 + number)
    devices = len(activity.tokens)
    accepted, skipped = (0, {"superseded": devices}) if is_superseded else (devices, {})
    attempt.answered(1000.5 + number, 200, {
        "broadcast_id": _id(number), "sessions_triggered": accepted, "failed": {}, "skipped": skipped})
    call.attempts.append(attempt)
    evidence.calls.append(call)
    evidence.requests[0].append(attempt)
    state = "superseded" if is_superseded else "done"
    evidence.records[_id(number)] = _record(accepted, total=devices, skipped=skipped, state=state)
    evidence.kept[_id(number)] = {"activity": activity.id, "kind": "update", "state": state}
    if not is_superseded:
        evidence.pushes += [_push(number, token, 1000 + number, _id(number)) for token in activity.tokens]


def _push(number, token, timestamp, identifier, event="update", status=200):
    activity = 1 if token in ("s1", "t1") else 2
    aps = {"event": event, "timestamp": timestamp, "content-state": {"activity": activity, "call": number}}
    if event == "start":
        aps |= {"attributes-type": "OrderAttributes", "attributes": {"activity": activity}}
    return Push(float(timestamp), token, event, timestamp, activity, number, status, None, prefix_of(identifier), 1, aps=aps)


def _lose_the_answer(call):
    call.attempts[-1].answered_at = call.attempts[-1].status = None
    call.attempts[-1].body = {}


class _AuditCase(unittest.TestCase):
    def found(self, change=lambda _: None):
        evidence = _good()
        change(evidence)
        return set(audit.violations(evidence))


class AnswerTests(_AuditCase):
    def test_nothing_is_wrong_with_what_is_right(self):
        self.assertEqual(self.found(), set())

    def test_an_answer_that_such_a_call_cannot_get_is_found(self):
        for status, body in ((404, {"code": "NOT_FOUND"}), (500, {"code": "INTERNAL"}), (503, {}), (409, {"code": "DEVICE_NOT_SYNCED"})):
            def add(evidence, status=status, body=body):
                attempt = Attempt(1, 1100.0)
                attempt.answered(1100.1, status, body)
                evidence.calls.append(Call(50, A, ["t1"], attempts=[attempt]))
            self.assertEqual(self.found(add), {"answers"}, status)

    def test_a_call_that_fails_or_is_not_answered_is_none_of_these(self):
        def add(evidence):
            attempt = Attempt(1, 1100.0)
            attempt.answered(1100.1, 503, {"code": "STORE_UNAVAILABLE"})
            evidence.calls.append(Call(50, A, ["t1"], attempts=[attempt, Attempt(0, 1101.0)]))
        self.assertEqual(self.found(add), set())

    def test_counts_that_do_not_make_the_devices_are_found(self):
        def change(evidence):
            evidence.records[_id(11)] = _record(1)
            evidence.calls[4].attempts[0].body["sessions_triggered"] = 1
        self.assertEqual(self.found(change), {"counts"})

    def test_devices_that_failed_are_found(self):
        def change(evidence):
            evidence.records[_id(11)] = _record(1, total=2, failed={"NoAnswer": 1})
            evidence.calls[4].attempts[0].body |= {"sessions_triggered": 1, "failed": {"NoAnswer": 1}}
        self.assertEqual(self.found(change), {"counts"})

    def test_devices_in_doubt_are_a_fault_unless_the_update_is_superseded(self):
        for state, expected in [("superseded", set()), ("done", {"counts"})]:
            def change(evidence, state=state):
                evidence.records[_id(11)] = _record(1, total=2, failed={"unknown": 1})
                evidence.records[_id(11)][1]["state"] = state
                evidence.calls[4].attempts[0].body |= {"sessions_triggered": 1, "failed": {"unknown": 1}}
            self.assertEqual(self.found(change), expected)

    def test_an_answer_that_differs_from_the_record_is_found(self):
        def change(evidence):
            evidence.calls[4].attempts[0].body["sessions_triggered"] = 1
        self.assertEqual(self.found(change), {"counts"})

    def test_a_record_that_cannot_be_read_or_has_not_ended_is_found(self):
        def forget(evidence):
            evidence.records[_id(2)] = (404, {"code": "NOT_FOUND"})
        self.assertEqual(self.found(forget), {"records"})

        def leave(evidence):
            evidence.records[_id(3)][1]["state"] = "running"
        self.assertEqual(self.found(leave), {"records"})
        self.assertEqual(self.found(lambda evidence: evidence.records.pop(_id(3))), {"records"})

    def test_an_hour_that_counts_too_few_or_too_many_is_found(self):
        self.assertEqual(self.found(lambda evidence: evidence.hours.update({A: 2})), {"hours"})
        self.assertEqual(self.found(lambda evidence: evidence.hours.update({A: 5})), {"hours"})

    def test_a_broadcast_that_stays_unfinished_is_found(self):
        def change(evidence):
            evidence.kept[_id(3)]["state"] = "running"
        self.assertEqual(self.found(change), {"unfinished"})

    def test_what_is_left_behind_and_what_gateways_did_is_told(self):
        self.assertEqual(self.found(lambda evidence: evidence.leftovers.append("a key")), {"left in Redis"})
        self.assertEqual(self.found(lambda evidence: evidence.misdeeds.append("a crash")), {"gateways"})
        self.assertEqual(self.found(lambda evidence: evidence.oddities.append("no HTTP")), {"oddities"})


class PushTests(_AuditCase):
    def test_an_update_that_counts_as_accepted_and_was_not_pushed_is_found(self):
        def lose(evidence):
            evidence.pushes = [push for push in evidence.pushes if (push.call, push.token) != (13, "t3")]
        self.assertEqual(self.found(lose), {"lost"})

        def refuse(evidence):
            evidence.pushes = [_push(13, push.token, 1013, _id(13), status=None) if push.call == 13 else push
                               for push in evidence.pushes]
        self.assertEqual(self.found(refuse), {"lost"})

    def test_the_content_of_another_call_is_found(self):
        def change(evidence):
            evidence.pushes = [_push(4 if push.call == 3 else push.call, push.token, push.timestamp, _id(push.call))
                               if push.event == "update" and push.token == "t1" else push for push in evidence.pushes]
        self.assertLessEqual({"lost", "twice"}, self.found(change))

    def test_a_push_for_another_device_or_of_no_call_is_found(self):
        self.assertEqual(self.found(lambda evidence: evidence.pushes.append(_push(3, "t2", 999, _id(3)))), {"foreign"})
        self.assertIn("foreign", self.found(lambda evidence: evidence.pushes.append(_push(70, "t1", 999, _id(3)))))

    def test_a_push_that_is_repeated_is_none(self):
        self.assertEqual(self.found(lambda evidence: evidence.pushes.append(_push(3, "t1", 1003, _id(3)))), set())

    def test_a_call_that_is_pushed_as_two_broadcasts_is_found(self):
        def again(evidence):
            evidence.pushes.append(_push(3, "t1", 1003, _id(30)))
            evidence.kept[_id(30)] = {"activity": A, "kind": "update", "state": "done"}
        self.assertEqual(self.found(again), {"twice"})

    def test_a_repetition_that_is_told_of_another_broadcast_is_found(self):
        def again(evidence):
            _update(evidence, evidence.activities[A], 30)
            other = evidence.calls.pop()
            evidence.calls[3].attempts += other.attempts
            evidence.pushes.pop()
            evidence.records[_id(30)] = _record(0, total=1, skipped={"superseded": 1}, state="superseded")
            other.attempts[0].body |= {"sessions_triggered": 0, "skipped": {"superseded": 1}}
        self.assertEqual(self.found(again), {"twice"})

    def test_a_broadcast_that_nobody_has_asked_for_is_found(self):
        def add(evidence):
            evidence.kept[_id(30)] = {"activity": A, "kind": "update", "state": "superseded"}
        self.assertEqual(self.found(add), {"twice"})

        def explain(evidence):
            add(evidence)
            evidence.calls.append(Call(50, A, ["t1"], attempts=[Attempt(0, 1001.1)]))
        self.assertEqual(self.found(explain), set())

    def test_a_broadcast_of_which_nothing_is_kept_is_found(self):
        self.assertEqual(self.found(lambda evidence: evidence.kept.pop(_id(3))), {"twice"})


class OrderTests(_AuditCase):
    def shift(self, number, timestamp):
        def change(evidence):
            evidence.pushes = [_push(number, push.token, timestamp, _id(number)) if push.call == number else push
                               for push in evidence.pushes]
        return change

    def test_two_updates_with_one_timestamp_are_found(self):
        self.assertIn("timestamps", self.found(self.shift(3, 1004)))

    def test_a_repeated_push_with_another_timestamp_is_found(self):
        self.assertEqual(self.found(lambda evidence: evidence.pushes.append(_push(3, "t1", 1002, _id(3)))), {"timestamps"})

    def test_a_later_update_with_an_older_timestamp_is_found(self):
        self.assertEqual(self.found(self.shift(3, 999)), {"order"})

    def test_updates_at_the_same_time_may_come_in_any_order(self):
        def change(evidence):
            self.shift(3, 999)(evidence)
            evidence.calls[0].attempts[0].answered_at = 1003.2
        self.assertEqual(self.found(change), set())

    def test_one_without_an_answer_may_be_recorded_late(self):
        def change(evidence):
            evidence.last_words.clear()
            self.shift(1, 1100)(evidence)
            _lose_the_answer(evidence.calls[0])
        self.assertEqual(self.found(change), set())

    def test_a_device_that_shows_something_older_than_the_newest_is_found(self):
        def change(evidence):
            self.shift(3, 1100)(evidence)
            evidence.last_words.clear()
        self.assertEqual(self.found(change), {"newest", "order"})

    def test_one_that_was_superseded_by_nothing_newer_is_found(self):
        def change(evidence):
            evidence.last_words.clear()
            evidence.pushes = [push for push in evidence.pushes if push.call != 4]
            evidence.records[_id(4)] = _record(0, total=1, skipped={"superseded": 1}, state="superseded")
            evidence.calls[3].attempts[0].body |= {"sessions_triggered": 0, "skipped": {"superseded": 1}}
        self.assertEqual(self.found(change), {"newest"})

    def test_a_device_that_got_nothing_is_found(self):
        def change(evidence):
            evidence.pushes = [push for push in evidence.pushes if push.token != "t1"]
        self.assertEqual(self.found(change), {"lost", "newest", "shown"})

    def test_a_last_word_that_is_not_the_last_is_found(self):
        def change(evidence):
            self.shift(1, 1100)(evidence)
            _lose_the_answer(evidence.calls[0])
        self.assertEqual(self.found(change), {"newest", "shown"})


class ShownTests(_AuditCase):
    def spoil(self, event, token, **more):
        def change(evidence):
            for push in evidence.pushes:
                if (push.event, push.token) == (event, token):
                    push.aps.update(more)
        return self.found(change)

    def test_a_start_without_its_attributes_is_found(self):
        self.assertEqual(self.spoil("start", "s1", attributes={}), {"shown"})

    def test_an_update_that_does_not_decode_is_found(self):
        self.assertEqual(self.spoil("update", "t1", **{"content-state": {"activity": 1}}), {"shown"})

    def test_the_content_of_another_activity_is_found(self):
        self.assertEqual(self.spoil("update", "t1", **{"content-state": {"activity": 2, "call": 4}}), {"shown"})

    def test_a_violation_names_the_phone_and_both_contents(self):
        evidence = _good()
        for push in evidence.pushes:
            if push.token == "t1":
                push.aps["content-state"] = {"activity": 2, "call": 4}
        self.assertIn("t1 shows {'activity': 2, 'call': 4}, the customer asked for {'activity': 1, 'call': 4}",
                      audit.violations(evidence)["shown"][0])


class StartTests(_AuditCase):
    def test_a_second_start_that_is_answered_is_found(self):
        def change(evidence):
            evidence.starts[1].attempt.answered(951.0, 202, {"broadcast_id": _id(99)})
        self.assertEqual(self.found(change), {"starts"})

    def test_a_start_that_is_kept_or_pushed_twice_is_found(self):
        def keep(evidence):
            evidence.kept[_id(99)] = {"activity": A, "kind": "start", "state": "done"}
        self.assertEqual(self.found(keep), {"starts"})

        def push(evidence):
            evidence.pushes.append(_push(0, "s1", 901, _id(90), event="start"))
        self.assertEqual(self.found(push), {"starts"})

    def test_a_refusal_of_another_kind_is_found(self):
        def change(evidence):
            evidence.starts[1].attempt.answered(951.0, 404, {"code": "NOT_FOUND"})
        self.assertEqual(self.found(change), {"starts"})

    def test_a_start_that_was_won_by_nobody_is_found(self):
        self.assertEqual(self.found(lambda evidence: evidence.kept.pop(_id(90))), {"starts"})


class RateTests(_AuditCase):
    @staticmethod
    def requests(count, status, begin, apart, code=None):
        made = []
        for index in range(count):
            made.append(Attempt(0, begin + index * apart))
            made[-1].answered(begin + index * apart + 0.05, status, {"code": code})
        return made

    def test_more_than_the_limit_in_a_minute_is_found(self):
        def add(apart):
            return lambda evidence: evidence.requests.update({1: self.requests(21, 404, 2000.0, apart)})
        self.assertEqual(self.found(add(2.9)), {"rate"})
        self.assertEqual(self.found(add(3.1)), set())

    def test_what_was_refused_or_failed_does_not_count(self):
        def add(status):
            return lambda evidence: evidence.requests.update({1: (
                self.requests(20, 200, 2000.0, 1) + self.requests(5, status, 2030.0, 1, "RATE_LIMITED"))})
        self.assertEqual(self.found(add(429)), set())
        self.assertEqual(self.found(add(503)), set())

    def test_a_refusal_before_the_limit_is_found(self):
        def add(count, begin=2000.0):
            return lambda evidence: evidence.requests.update({1: (
                self.requests(count, 200, begin, 0.1) + self.requests(1, 429, 2030.0, 1, "RATE_LIMITED"))})
        self.assertEqual(self.found(add(19)), {"rate"})
        self.assertEqual(self.found(add(20)), set())
        # These have left the window.
        self.assertEqual(self.found(add(20, begin=1960.0)), {"rate"})


class PlanTests(unittest.TestCase):
    def test_a_seed_gives_the_same_plan(self):
        self.assertEqual(plan.plan("1", 60, 2), plan.plan("1", 60, 2))
        self.assertNotEqual(plan.plan("1", 60, 2), plan.plan("2", 60, 2))

    def test_faults_of_one_kind_of_server_come_one_after_the_other_and_are_over_in_time(self):
        for seed in range(100):
            faults = plan.plan(str(seed), 60, 2)
            self.assertEqual([fault.at for fault in faults], sorted(fault.at for fault in faults))
            self.assertLessEqual(max(fault.at + fault.lasts for fault in faults), 60 - plan.CALM)
            for kinds, target in ((plan.GATEWAY, 0), (plan.GATEWAY, 1), (plan.REDIS, 0), (plan.PROVIDER, 0)):
                lane = [fault for fault in faults if fault.kind in kinds and fault.target == target]
                for one, other in zip(lane, lane[1:]):
                    self.assertGreaterEqual(other.at, one.at + one.lasts + 1)

    def test_every_kind_comes_in_a_few_runs(self):
        kinds = {fault.kind for seed in range(5) for fault in plan.plan(str(seed), 20, 2)}
        self.assertEqual(kinds, {*plan.GATEWAY, *plan.REDIS, *plan.PROVIDER})


if __name__ == "__main__":
    unittest.main()
