import unittest

from harness import invariants
from harness.journal import Call

from .made_up import ACTIVITY, END, START, UPDATE, attempt, call, evidence, push, record

_OTHER = "99999999-9999-4999-8999-999999999999"


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


def _second_start(**more):
    values = {"attempts": [attempt(409, code="ALREADY_STARTED")]}
    return Call(9, "start", ACTIVITY, **values | more)


class UnsentTests(unittest.TestCase):
    rule = "nothing locked and unsent"

    def test_a_broadcast_that_never_ends_is_found(self):
        made_up = evidence(records=evidence().records | {UPDATE: record(UPDATE, state="running")})
        self.assertIn("never came to an end", found(made_up, self.rule)[0])

    def test_a_started_activity_without_a_broadcast_is_found(self):
        made_up = evidence(calls=[_second_start()], records={}, start_locks={}, pushes=[])
        self.assertIn("no broadcast of its start is known", found(made_up, self.rule)[0])

    def test_the_lock_leads_to_a_start_whose_answer_was_lost(self):
        made_up = evidence(calls=[call(START, attempts=[attempt(None), attempt(409, code="ALREADY_STARTED")])])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_start_that_pushed_nothing_and_says_nothing_is_found(self):
        made_up = evidence(pushes=[], records=evidence().records | {START: record(START, accepted=0)})
        self.assertIn("does not say why", found(made_up, self.rule)[0])

    def test_a_start_that_pushed_nothing_because_it_was_superseded_is_none(self):
        made_up = evidence(pushes=[], records=evidence().records | {
            START: record(START, accepted=0, skipped={"superseded": 3})})
        self.assertEqual([], found(made_up, self.rule))

    def test_an_activity_that_nobody_started_is_none(self):
        made_up = evidence(calls=[call(START, attempts=[attempt(None)])], records={}, start_locks={}, pushes=[])
        self.assertEqual([], found(made_up, self.rule))


class OneStartTests(unittest.TestCase):
    rule = "one start"

    def test_one_winner_among_concurrent_starts_is_right(self):
        self.assertEqual([], found(evidence(calls=[call(START), _second_start(), call(END)]), self.rule))

    def test_two_winners_are_found(self):
        made_up = evidence(calls=[call(START), _second_start(attempts=[attempt(200, _OTHER)])])
        self.assertIn("started more than once", found(made_up, self.rule)[0])

    def test_two_winners_with_the_same_broadcast_are_found_unless_they_have_a_key(self):
        again = _second_start(attempts=[attempt(200, START)])
        self.assertEqual(1, len(found(evidence(calls=[call(START), again]), self.rule)))
        again.key = "k"
        self.assertEqual([], found(evidence(calls=[call(START, key="k"), again]), self.rule))

    def test_a_lock_that_names_another_broadcast_is_found(self):
        self.assertIn("its start lock names", found(evidence(start_locks={ACTIVITY: _OTHER}), self.rule)[0])

    def test_no_winner_at_all_is_found(self):
        made_up = evidence(calls=[_second_start(), _second_start()])
        self.assertIn("every start was told that it came second", found(made_up, self.rule)[0])

    def test_a_lost_answer_may_have_been_the_winner(self):
        made_up = evidence(calls=[_second_start(attempts=[attempt(None), attempt(409, code="ALREADY_STARTED")])])
        self.assertEqual([], found(made_up, self.rule))

    def test_a_repetition_with_a_key_must_not_come_second_to_itself(self):
        tries = [attempt(None), attempt(409, code="ALREADY_STARTED")]
        made_up = evidence(calls=[call(START, key="k", attempts=tries)])
        self.assertIn("Idempotency-Key k", found(made_up, self.rule)[0])


class ConductTests(unittest.TestCase):
    def test_a_crash_is_found(self):
        made_up = evidence(misdeeds=["gateway-0 ended by itself with status -11"])
        self.assertEqual(1, len(found(made_up, "nobody crashed")))

    def test_an_odd_answer_is_found(self):
        self.assertEqual(1, len(found(evidence(oddities=["register was answered 500"]), "nobody crashed")))


class EvidenceTests(unittest.TestCase):
    def test_a_record_without_a_timestamp_takes_it_from_its_pushes(self):
        made_up = evidence(records=evidence().records | {UPDATE: record(UPDATE, timestamp=None)})
        self.assertEqual(1001, made_up.records[UPDATE].timestamp)

    def test_a_broadcast_whose_answer_was_lost_is_known_by_its_content(self):
        lost = call(UPDATE, attempts=[attempt(None)])
        made_up = evidence(calls=[call(START), lost], pushes=[push(UPDATE, 0)])
        self.assertIs(lost, made_up.call_of_broadcast[UPDATE])
