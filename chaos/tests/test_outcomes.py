import unittest

from harness import invariants
from harness.journal import Fault

from .made_up import END, START, UPDATE, call, attempt, evidence, push, record

_REST = [push(each, device) for each in (UPDATE, END) for device in range(3)]


def _with_start(pushes, **fields):
    good = evidence()
    return evidence(pushes=pushes + _REST, records=good.records | {START: record(START, **fields)},
                    calls=[call(START, attempts=[attempt(202, START)]), *good.calls[1:]])


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


class InnocentTests(unittest.TestCase):
    def test_a_run_that_went_well_violates_nothing(self):
        self.assertEqual({rule: [] for rule in invariants.RULES}, invariants.audit(evidence()))


class OneOutcomeTests(unittest.TestCase):
    rule = "one outcome each"

    def test_a_device_without_an_outcome_is_found(self):
        made_up = _with_start([push(START, 0), push(START, 1), push(START, 2)], accepted=2)
        self.assertIn("makes 2", found(made_up, self.rule)[0])

    def test_more_accepted_than_the_provider_says_is_found(self):
        made_up = _with_start([push(START, 0), push(START, 1), push(START, 2, 410)])
        self.assertIn("accepted only 2", found(made_up, self.rule)[0])

    def test_an_accepted_push_that_is_counted_as_failed_is_found(self):
        made_up = _with_start([push(START, device) for device in range(3)], accepted=2, failed={"ShutDown": 1})
        self.assertIn("only 0 are unknown", found(made_up, self.rule)[0])

    def test_an_accepted_push_whose_answer_was_lost_may_be_unknown(self):
        made_up = _with_start([push(START, device) for device in range(3)], accepted=2, failed={"unknown": 1})
        self.assertEqual([], found(made_up, self.rule))

    def test_a_push_that_was_accepted_after_a_refusal_counts_once(self):
        made_up = _with_start([push(START, 0, 503), *(push(START, device) for device in range(3))])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_reason_that_the_provider_gave_less_often_is_found(self):
        made_up = _with_start([push(START, 0), push(START, 1, 410), push(START, 2, None)], accepted=1,
                              failed={"Unregistered": 2})
        self.assertIn("said Unregistered to 1 devices only", found(made_up, self.rule)[0])

    def test_a_caller_who_was_told_another_number_is_found(self):
        good = evidence()
        told = call(START, attempts=[attempt(200, START, sessions=2)])
        made_up = evidence(calls=[told, *good.calls[1:]])
        self.assertIn("call 1 was told 2", found(made_up, self.rule)[0])

    def test_the_size_of_a_segment_may_be_a_range(self):
        made_up = evidence()
        next(iter(made_up.activities.values())).most = 5
        self.assertEqual([], found(made_up, self.rule))


class SecondLiveActivityTests(unittest.TestCase):
    rule = "no second Live Activity"

    def _twice(self, **more):
        pushes = evidence().pushes + [push(START, 1, time=1010.0, answer_sent=False)]
        return evidence(pushes=pushes, **more)

    def test_a_second_accepted_start_is_found_also_when_its_answer_was_lost(self):
        violations = invariants.audit(self._twice())[self.rule]
        self.assertIn("on 1 devices", violations[0].text)
        self.assertEqual(2, len(violations[0].details))

    def test_a_refused_start_may_be_followed_by_an_accepted_one(self):
        pushes = [push(START, 1, 503)] + evidence().pushes
        self.assertEqual([], found(evidence(pushes=pushes), self.rule))

    def test_it_may_be_the_price_of_resending_when_a_gateway_was_lost(self):
        killed = [Fault("kill gateway", "gateway-0", 1005.0, 1006.0)]
        self.assertEqual([], found(self._twice(resends=True, faults=killed), self.rule))

    def test_a_loss_before_the_first_push_is_no_reason_for_the_second(self):
        killed = [Fault("kill gateway", "gateway-0", 990.0, 991.0)]
        self.assertEqual(1, len(found(self._twice(resends=True, faults=killed), self.rule)))

    def test_resending_is_no_excuse_without_a_loss(self):
        self.assertEqual(1, len(found(self._twice(resends=True), self.rule)))

    def test_a_loss_is_no_excuse_without_resending(self):
        killed = [Fault("kill gateway", "gateway-0", 1005.0, 1006.0)]
        self.assertEqual(1, len(found(self._twice(faults=killed), self.rule)))

    def test_when_redis_forgets_it_may_be_for_activities_whose_lock_is_gone(self):
        self.assertEqual(1, len(found(self._twice(evicts=True), self.rule)))
        self.assertEqual([], found(self._twice(evicts=True, start_locks={}), self.rule))
