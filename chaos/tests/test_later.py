import unittest

from harness import invariants
from harness.journal import Activity, Fault

from .made_up import ACTIVITY, END, LAST, LATER, START, UPDATE, attempt, call, evidence, push, record

_COUNT = 10
_REST = [push(each, device, line=9) for each in (UPDATE, END) for device in range(3)]
_BEGIN = {START: 1000.0, LATER: 1000.5, LAST: 1000.7}


def _run(starts, pushes, faults=()):
    """An activity of ten devices with these starts: the fields of their records, in order."""
    good = evidence()
    devices = list(range(_COUNT))
    records = {each: record(each, **{"created_at": _BEGIN[each], "finished_at": _BEGIN[each] + 0.1} | fields)
               for each, fields in zip(_BEGIN, starts)}
    return evidence(
        activities={ACTIVITY: Activity(ACTIVITY, 7, devices, devices, _COUNT, _COUNT)},
        calls=[call(START, attempts=[attempt(202, START)]), *good.calls[1:]],
        records=good.records | records, pushes=[*pushes, *_REST], faults=list(faults))


def _pushes(broadcast, devices, *more, **fields):
    return [push(broadcast, device, *more, time=_BEGIN[broadcast] + 0.05, **fields) for device in devices]


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


_FIRST = {"accepted": 7, "failed": {"NoConnection": 3}}


class LaterStartTests(unittest.TestCase):
    rule = "later starts for the left out"

    def test_a_later_start_for_those_who_were_released_late_violates_nothing(self):
        made_up = _run([_FIRST, {"accepted": 3}], _pushes(START, range(7)) + _pushes(LATER, range(7, 10)))
        self.assertEqual({rule: [] for rule in invariants.RULES}, invariants.audit(made_up))

    def test_a_later_start_for_more_than_were_released_is_found(self):
        first = {"accepted": 7, "failed": {"NoConnection": 2, "unknown": 1}}
        made_up = _run([first, {"accepted": 3}], _pushes(START, range(7)) + _pushes(LATER, range(7, 10)))
        self.assertIn("is for 3 devices, and at most 2 were released late", found(made_up, self.rule)[0])

    def test_whatever_became_of_its_devices_counts(self):
        later = {"accepted": 2, "failed": {"Unregistered": 1}, "skipped": {"superseded": 1}}
        made_up = _run([_FIRST, later], _pushes(START, range(7)) + _pushes(LATER, range(7, 10)))
        self.assertIn("is for 4 devices", found(made_up, self.rule)[0])

    def test_a_later_start_without_any_release_is_found(self):
        made_up = _run([{"accepted": 10}, {"accepted": 1}], _pushes(START, range(9)) + _pushes(LATER, [9]))
        self.assertIn("at most 0", found(made_up, self.rule)[0])

    def test_a_release_is_good_for_one_later_start(self):
        pushes = _pushes(START, range(7)) + _pushes(LATER, [7, 8]) + _pushes(LAST, [9])
        self.assertEqual([], found(_run([_FIRST, {"accepted": 2}, {"accepted": 1}], pushes), self.rule))
        pushes = _pushes(START, range(7)) + _pushes(LATER, [7, 8]) + _pushes(LAST, [9, 9])
        self.assertIn("is for 2 devices, and at most 1",
                      found(_run([_FIRST, {"accepted": 2}, {"accepted": 2}], pushes), self.rule)[0])

    def test_a_later_start_may_release_devices_itself(self):
        pushes = _pushes(START, range(7)) + _pushes(LATER, [7]) + _pushes(LAST, [8, 9])
        made_up = _run([_FIRST, {"accepted": 1, "failed": {"NoConnection": 2}}, {"accepted": 2}], pushes)
        self.assertEqual([], found(made_up, self.rule))

    def test_a_device_that_was_accepted_before_is_found(self):
        made_up = _run([_FIRST, {"accepted": 3}], _pushes(START, range(8)) + _pushes(LATER, range(7, 10)))
        self.assertIn("1 of its devices may have got a start before it", found(made_up, self.rule)[0])

    def test_a_device_that_was_pushed_before_and_not_answered_is_found(self):
        pushes = _pushes(START, range(7)) + _pushes(START, [7, 8], None, connection=2) + _pushes(LATER, range(7, 10))
        self.assertIn("2 of its devices", found(_run([_FIRST, {"accepted": 3}], pushes), self.rule)[0])

    def test_a_push_that_was_refused_was_not_delivered(self):
        pushes = (_pushes(START, range(7)) + _pushes(START, [7], 503) + _pushes(START, [8], None, reset=7)
                  + _pushes(LATER, range(7, 10)))
        self.assertEqual([], found(_run([_FIRST, {"accepted": 3}], pushes), self.rule))

    def test_a_stream_that_was_reset_otherwise_may_have_been_delivered(self):
        pushes = (_pushes(START, range(7)) + _pushes(START, [8], None, reset=2) + _pushes(LATER, range(7, 10)))
        self.assertEqual(1, len(found(_run([_FIRST, {"accepted": 3}], pushes), self.rule)))

    def test_every_start_before_it_counts(self):
        pushes = _pushes(START, range(7)) + _pushes(LATER, [7, 8]) + _pushes(LAST, [8])
        made_up = _run([_FIRST, {"accepted": 2}, {"accepted": 1}], pushes)
        self.assertEqual(1, len(found(made_up, self.rule)))


class ReachTests(unittest.TestCase):
    """The invariants of a start's reach, where there is a later one."""

    def test_whom_no_later_start_came_to_either_is_left_out(self):
        made_up = _run([_FIRST, {"accepted": 2}], _pushes(START, range(7)) + _pushes(LATER, [7, 8]))
        self.assertIn("1 devices that can be reached were never pushed", found(made_up, "nobody left out")[0])

    def test_what_a_later_start_was_about_to_push_when_a_gateway_was_lost_may_be_unknown(self):
        kill = Fault("kill gateway", "gateway-0", 1000.55, 1000.56)
        starts = [_FIRST, {"accepted": 2, "failed": {"unknown": 1}}]
        pushes = _pushes(START, range(7)) + _pushes(LATER, [7, 8])
        self.assertEqual([], found(_run(starts, pushes, [kill]), "nobody left out"))
        self.assertEqual(1, len(found(_run(starts, pushes), "nobody left out")))

    def test_unknown_devices_of_a_later_start_must_have_been_on_the_wire(self):
        starts = [_FIRST, {"accepted": 2, "failed": {"unknown": 1}}]
        made_up = _run(starts, _pushes(START, range(7)) + _pushes(LATER, range(7, 10)))
        self.assertIn("1 are unknown, and at most 0", found(made_up, "little in doubt")[0])
        self.assertIn("told 1 acceptances", found(made_up, "what is known is recorded")[0])


if __name__ == "__main__":
    unittest.main()
