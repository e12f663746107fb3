import dataclasses
import unittest

from harness import invariants
from harness.journal import Fault

from .made_up import END, START, UPDATE, attempt, call, evidence, push

_EXPIRY = 1012


def _run(*late, faults=(), expires_at=_EXPIRY, number=START):
    """An activity that went well, with further pushes of one of its calls."""
    good = evidence()
    calls = [call(each, attempts=[attempt(broadcast=each, sent_at=1000.0)],
                  expires_at=expires_at if each == number else None) for each in (START, UPDATE, END)]
    return evidence(calls=calls, pushes=[*good.pushes, *late], faults=list(faults))


def found(made_up):
    return [each.text for each in invariants.audit(made_up)["nothing after its expiry"]]


class NothingAfterItsExpiryTests(unittest.TestCase):
    def test_what_is_pushed_while_it_is_fresh_is_right(self):
        self.assertEqual([], found(_run(push(START, 2, time=1011.9, line=9))))

    def test_clocks_may_differ_by_a_second(self):
        self.assertEqual([], found(_run(push(START, 2, time=_EXPIRY + 0.9, line=9))))
        self.assertIn("1 pushes came up to 1.1 s after", found(_run(push(START, 2, time=_EXPIRY + 1.1, line=9)))[0])

    def test_whatever_the_provider_answered_it_is_found(self):
        late = [push(START, device, status, time=1037.0, line=9) for device, status in enumerate((200, 503, None))]
        self.assertIn("3 pushes came up to 25.0 s", found(_run(*late))[0])

    def test_each_broadcast_is_told_of(self):
        late = [push(START, 1, time=1020.0, line=9),
                dataclasses.replace(push(START, 2, time=1020.0, line=9), broadcast="another")]
        self.assertEqual(2, len(found(_run(*late))))

    def test_content_that_lasts_longer_than_the_run_is_never_late(self):
        self.assertEqual([], found(_run(push(START, 2, time=1037.0, line=9), expires_at=None)))

    def test_another_calls_expiry_is_no_matter(self):
        self.assertEqual([], found(_run(push(UPDATE, 2, time=1037.0, line=9))))

    def test_a_network_that_held_it_up_is_a_reason_until_it_goes_on(self):
        hole = Fault("black hole", "packets are lost", 1010.0, 1016.0)
        self.assertEqual([], found(_run(push(START, 2, time=1016.5, line=9), faults=[hole])))
        self.assertEqual(1, len(found(_run(push(START, 2, time=1017.5, line=9), faults=[hole]))))
        later = Fault("black hole", "packets are lost", 1014.0, 1018.0)
        self.assertEqual(1, len(found(_run(push(START, 2, time=1018.5, line=9), faults=[later]))))

    def test_a_gateway_that_was_asleep_is_none(self):
        asleep = Fault("stop gateway", "gateway-0", 1010.0, 1016.0, gateway=0)
        self.assertEqual(1, len(found(_run(push(START, 2, time=1016.5, line=9), faults=[asleep]))))


if __name__ == "__main__":
    unittest.main()
