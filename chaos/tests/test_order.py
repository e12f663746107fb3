import unittest

from harness import invariants
from harness.invariants import order
from harness.journal import Fault

from .made_up import END, START, UPDATE, attempt, call, live_activity_token, evidence, push, record, sync

_STARTS = [push(START, device) for device in range(3)]
_NO_END = {START: record(START), UPDATE: record(UPDATE)}


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


def _without_end(pushes, **more):
    values = {"records": _NO_END, "calls": [call(START), call(UPDATE)], "pushes": _STARTS + pushes}
    return evidence(**values | more)


class NewestWinsTests(unittest.TestCase):
    rule = "the newest state wins"

    def test_a_device_that_was_passed_over_is_found(self):
        made_up = _without_end([push(UPDATE, 0), push(UPDATE, 1)])
        self.assertIn("1 devices that had synced show something older", found(made_up, self.rule)[0])

    def test_a_device_that_the_record_gives_up_is_no_violation(self):
        records = _NO_END | {UPDATE: record(UPDATE, accepted=2, failed={"unknown": 1})}
        made_up = _without_end([push(UPDATE, 0), push(UPDATE, 1)], records=records)
        self.assertEqual([], found(made_up, self.rule))

    def test_a_dead_token_is_no_violation(self):
        made_up = _without_end([push(UPDATE, 0), push(UPDATE, 1), push(UPDATE, 2, 410)])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_device_that_synced_after_the_call_need_not_have_it(self):
        syncs = [sync(0), sync(1), sync(2, acknowledged_at=1001.2)]
        made_up = _without_end([push(UPDATE, 0), push(UPDATE, 1)], syncs=syncs)
        self.assertEqual([], found(made_up, self.rule))

    def test_a_sync_without_an_answer_promises_nothing(self):
        made_up = _without_end([push(UPDATE, 0), push(UPDATE, 1)], syncs=[sync(0), sync(1), sync(2, None)])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_call_without_an_answer_promises_nothing(self):
        lost = call(UPDATE, attempts=[attempt(None, sent_at=1001.0)])
        made_up = _without_end([push(UPDATE, 0)], calls=[call(START), lost])
        self.assertEqual([], found(made_up, self.rule))

    def test_devices_that_a_call_does_not_name_need_not_have_it(self):
        made_up = _without_end([push(UPDATE, 0)], calls=[call(START), call(UPDATE, targets=[0])])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_newer_broadcast_stands_for_an_older_one(self):
        pushes = _STARTS + [push(END, device) for device in range(3)]
        records = evidence().records | {UPDATE: record(UPDATE, state="superseded", accepted=0)}
        self.assertEqual([], found(evidence(pushes=pushes, records=records), self.rule))

    def test_a_live_activity_that_was_ended_by_itself_is_past_updates(self):
        ended = call(END, targets=[2], attempts=[attempt(broadcast=END, sent_at=1000.9)])
        records = {START: record(START), END: record(END, timestamp=1001), UPDATE: record(UPDATE, timestamp=1002)}
        pushes = _STARTS + [push(UPDATE, 0, timestamp=1002), push(UPDATE, 1, timestamp=1002),
                            push(END, 2, timestamp=1001)]
        made_up = evidence(calls=[call(START), ended, call(UPDATE)], records=records, pushes=pushes)
        self.assertEqual([], found(made_up, self.rule))

    def test_the_order_is_the_timestamps_not_that_of_arrival(self):
        late = push(UPDATE, 0, time=1003.0)
        made_up = evidence(pushes=evidence().pushes + [late])
        self.assertEqual([], found(made_up, self.rule))
        self.assertEqual([1.0], [seconds for _, _, seconds in order.overtaken(made_up)])


class OvertakingTests(unittest.TestCase):
    rule = "the newest state wins"
    late = push(UPDATE, 0, time=1012.0)

    def test_a_push_that_is_much_older_than_the_last_one_is_found(self):
        made_up = evidence(pushes=evidence().pushes + [self.late])
        self.assertIn("1 Live Activities got an older push", found(made_up, self.rule)[0])

    def test_a_gateway_that_was_stopped_in_between_is_the_reason(self):
        stopped = [Fault("stop gateway", "gateway-0", 1001.5, 1011.0)]
        made_up = evidence(pushes=evidence().pushes + [self.late], faults=stopped)
        self.assertEqual([], found(made_up, self.rule))

    def test_a_late_push_that_was_refused_changes_nothing(self):
        made_up = evidence(pushes=evidence().pushes + [push(UPDATE, 0, 503, time=1012.0)])
        self.assertEqual([], found(made_up, self.rule))

    def test_an_end_after_an_end_changes_nothing(self):
        again = push(END, 0, time=990.0, timestamp=1050)
        made_up = evidence(pushes=[again, *evidence().pushes])
        self.assertEqual([], found(made_up, self.rule))


class AftermathTests(unittest.TestCase):
    rule = "nothing after the end"
    late = push(UPDATE, 0, time=1010.0)

    def test_a_push_of_a_broadcast_that_has_ended_is_found(self):
        self.assertIn("1 pushes", found(evidence(pushes=evidence().pushes + [self.late]), self.rule)[0])

    def test_a_gateway_that_was_stopped_may_have_had_it_in_hand(self):
        stopped = [Fault("stop gateway", "gateway-0", 1001.2, 1009.0)]
        self.assertEqual([], found(evidence(pushes=evidence().pushes + [self.late], faults=stopped), self.rule))

    def test_the_end_of_a_live_activity_that_synced_late_comes_when_it_comes(self):
        late = push(END, 0, time=1060.0, timestamp=1003)
        self.assertEqual([], found(evidence(pushes=evidence().pushes + [late]), self.rule))

    def test_so_does_that_of_one_that_synced_in_the_second_of_the_end(self):
        again = evidence().pushes + [push(END, 2, time=1060.0)]
        for acknowledged_at in (1002.3, None):
            syncs = [sync(0), sync(1), sync(2, acknowledged_at=acknowledged_at)]
            self.assertEqual([], found(evidence(pushes=again, syncs=syncs), self.rule))
        self.assertIn("1 pushes", found(evidence(pushes=again), self.rule)[0])


class OrphanTests(unittest.TestCase):
    rule = "no orphaned Live Activity"

    def test_a_live_activity_that_synced_after_the_end_and_was_not_ended_is_found(self):
        pushes = [each for each in evidence().pushes if (each.event, each.token) != ("end", live_activity_token(2))]
        syncs = [sync(0), sync(1), sync(2, acknowledged_at=1005.0)]
        self.assertIn("1 devices", found(evidence(pushes=pushes, syncs=syncs), self.rule)[0])

    def test_an_end_that_was_tried_counts(self):
        pushes = [each for each in evidence().pushes if (each.event, each.token) != ("end", live_activity_token(2))]
        pushes.append(push(END, 2, None))
        syncs = [sync(0), sync(1), sync(2, acknowledged_at=1005.0)]
        self.assertEqual([], found(evidence(pushes=pushes, syncs=syncs), self.rule))

    def test_the_end_of_single_live_activities_ends_no_others(self):
        pushes = [each for each in evidence().pushes if (each.event, each.token) != ("end", live_activity_token(2))]
        calls = [call(START), call(UPDATE), call(END, targets=[0, 1])]
        self.assertEqual([], found(evidence(pushes=pushes, calls=calls), self.rule))
