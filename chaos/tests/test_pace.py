import unittest

from harness import invariants
from harness.invariants import pace
from harness.invariants.times import undisturbed
from harness.journal import Fault

from .made_up import START, UPDATE, call, evidence, push, record, sync

_STARTS = [push(START, device) for device in range(3)]


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


def _updated(arrivals, faults=(), **more):
    """An update that devices accept at these times."""
    pushes = _STARTS + [push(UPDATE, device, time=time) for device, time in enumerate(arrivals)]
    values = {"records": {START: record(START), UPDATE: record(UPDATE)}, "calls": [call(START), call(UPDATE)],
              "pushes": pushes, "faults": list(faults)}
    return evidence(**values | more)


class UndisturbedTests(unittest.TestCase):
    def test_without_faults_it_is_the_whole_span(self):
        self.assertEqual(30, undisturbed([], 100, 130))

    def test_faults_that_overlap_count_once_and_reach_as_far_as_the_recovery(self):
        faults = [Fault("a", "", 105, 107), Fault("b", "", 106, 110)]
        self.assertEqual(30 - 5 - 10, undisturbed(faults, 100, 130))

    def test_a_fault_that_never_ended_covers_the_rest(self):
        self.assertEqual(5, undisturbed([Fault("a", "", 105)], 100, 130))

    def test_faults_before_and_after_do_not_matter(self):
        faults = [Fault("a", "", 10, 20), Fault("b", "", 200, 210)]
        self.assertEqual(30, undisturbed(faults, 100, 130))


class DoneSoonTests(unittest.TestCase):
    rule = "done soon after a fault"

    def _slow(self, *faults):
        records = evidence().records | {UPDATE: record(UPDATE, finished_at=1045.0)}
        return evidence(records=records, faults=list(faults))

    def test_a_broadcast_that_takes_long_without_a_fault_is_found(self):
        self.assertIn("took 44 s", found(self._slow(), self.rule)[0])

    def test_a_fault_is_a_reason_until_a_while_after_its_end(self):
        self.assertEqual([], found(self._slow(Fault("brownout", "503", 1002, 1012)), self.rule))
        self.assertEqual(1, len(found(self._slow(Fault("reset connections", "all", 1002, 1002)), self.rule)))


class NewestSoonTests(unittest.TestCase):
    rule = "the newest state comes soon"

    def test_devices_that_wait_long_are_found(self):
        made_up = _updated([1002, 1003, 1030])
        self.assertIn("1 devices waited up to 29 s", found(made_up, self.rule)[0])

    def test_something_newer_is_as_good(self):
        pushes = _STARTS + [push(UPDATE, device, time=1030 if device == 2 else 1002) for device in range(3)]
        pushes.append(push(UPDATE, 2, time=1005, timestamp=1002))
        self.assertEqual([], found(_updated([], pushes=pushes), self.rule))

    def test_a_fault_is_a_reason(self):
        self.assertEqual([], found(_updated([1002, 1003, 1030], [Fault("brownout", "503", 1002, 1005)]), self.rule))

    def test_who_synced_after_the_call_does_not_wait_for_it(self):
        made_up = _updated([1002, 1003, 1030], syncs=[sync(0), sync(1), sync(2, acknowledged_at=1001.5)])
        self.assertEqual([], found(made_up, self.rule))

    def test_device_seconds_count_what_overlaps_once(self):
        made_up = _updated([1002, 1003, 1004])
        self.assertEqual(1 + 2 + 3, pace.device_seconds(pace.waits(made_up)))
        again = pace.Wait(made_up.records[UPDATE], 2, 1002.0, 1005.0)
        self.assertEqual(1 + 2 + 4, pace.device_seconds([*pace.waits(made_up), again]))
