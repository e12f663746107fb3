import types
import unittest

from harness import invariants, report
from harness.journal import Fault

from .made_up import UPDATE, evidence, push, record


def _summary(made_up):
    options = types.SimpleNamespace(redis="single", gateways=3, seconds=26)
    run = types.SimpleNamespace(seed="7", options=options, settled_after=1.0)
    return report.summary(run, made_up, invariants.audit(made_up))


class ReportTests(unittest.TestCase):
    def test_a_run_that_went_well_has_its_figures(self):
        data = _summary(evidence())
        self.assertEqual((0, 0, 0), (data["never_pushed"], data["marked_only"], data["known_unrecorded"]))
        self.assertEqual(0.0, data["longest_wait"])
        self.assertIn("holds     nobody left out", report.text(data))

    def test_for_each_fault_it_says_how_long_what_was_under_way_took(self):
        made_up = evidence(faults=[Fault("brownout", "503 to everybody", 1001.1, 1001.2)])
        self.assertEqual([{"kind": "brownout", "target": "503 to everybody", "broadcasts": 1, "seconds": 0.3}],
                         _summary(made_up)["takeovers"])

    def test_waits_are_device_seconds(self):
        good = evidence()
        pushes = [each for each in good.pushes if each.event == "start"]
        pushes += [push(UPDATE, device, time=1001.0 + device) for device in range(3)]
        made_up = evidence(pushes=pushes, records={each: good.records[each] for each in list(good.records)[:2]},
                           calls=good.calls[:2])
        data = _summary(made_up)
        self.assertEqual((3, 2.0), (data["device_seconds_without_newest"], data["longest_wait"]))
        self.assertIn("device-seconds without the newest state: 3 (at most 2.0 s each)", report.text(data))

    def test_violations_are_shown_with_their_rule(self):
        made_up = evidence(records=evidence().records | {UPDATE: record(UPDATE, state="running")})
        self.assertIn("VIOLATED  nothing locked and unsent (1)", report.text(_summary(made_up)))
