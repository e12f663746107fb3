import unittest

from harness import invariants
from harness.journal import Activity, Fault

from .made_up import ACTIVITY, END, START, UPDATE, attempt, call, evidence, push, record

_COUNT = 400
_REST = [push(each, device, line=9) for each in (UPDATE, END) for device in range(3)]


def _start(pushes, faults=(), is_reachable=lambda device: True, expires_at=None, gateways=None, **fields):
    """A start to many devices, with these pushes and this record. `gateways`: whose connection is whose."""
    good = evidence()
    devices = list(range(_COUNT))
    return evidence(
        activities={ACTIVITY: Activity(ACTIVITY, 7, devices, devices, _COUNT, _COUNT)},
        pushes=[*pushes, *_REST], records=good.records | {START: record(START, **fields)}, faults=list(faults),
        calls=[call(START, attempts=[attempt(202, START)], expires_at=expires_at), *good.calls[1:]],
        is_reachable=is_reachable, gateway_of_connection=gateways or {})


def _accepted(devices, **more):
    return [push(START, device, **more) for device in devices]


def found(made_up, rule):
    return [each.text for each in invariants.audit(made_up)[rule]]


def _kill(at=1000.2, kind="kill gateway", until=None, **more):
    return Fault(kind, "gateway-0", at, until or at + 1, gateway=0, **more)


class NobodyLeftOutTests(unittest.TestCase):
    rule = "nobody left out"

    def test_a_start_that_reached_everybody_is_right(self):
        self.assertEqual([], found(_start(_accepted(range(_COUNT)), accepted=_COUNT), self.rule))

    def test_devices_that_were_written_off_without_a_push_are_found(self):
        made_up = _start(_accepted(range(350)), accepted=350, failed={"unknown": 50})
        self.assertIn("50 devices that can be reached were never pushed", found(made_up, self.rule)[0])

    def test_a_lost_gateway_may_have_been_about_to_push_some_of_them(self):
        made_up = _start(_accepted(range(350)), [_kill()], accepted=350, failed={"unknown": 50})
        self.assertEqual([], found(made_up, self.rule))

    def test_a_lost_gateway_is_no_reason_for_more_than_it_may_have_been_about_to_push(self):
        made_up = _start(_accepted(range(10)), [_kill()], accepted=10, failed={"unknown": 390})
        self.assertIn("6 devices", found(made_up, self.rule)[0])

    def test_a_lost_gateway_is_no_reason_for_what_the_record_knows_to_have_failed(self):
        made_up = _start(_accepted(range(350)), [_kill()], accepted=350, failed={"ServiceUnavailable": 50})
        self.assertIn("50 devices", found(made_up, self.rule)[0])

    def test_pushes_may_be_swallowed_on_their_way_as_many_as_there_are_streams(self):
        hole = Fault("black hole", "packets are lost", 1000.1, 1000.3)
        made_up = _start(_accepted(range(350)), [hole], accepted=350, failed={"unknown": 50})
        made_up.connections, made_up.gateways, made_up.streams = 2, 1, 25
        self.assertEqual([], found(made_up, self.rule))
        made_up.streams = 20
        self.assertIn("10 devices", found(made_up, self.rule)[0])

    def test_also_when_the_last_push_that_it_read_there_was_another_broadcasts(self):
        for earlier, is_right in ((0.05, True), (2.0, False)):
            other = push(UPDATE, 5, None, time=record(START).created_at - earlier, connection=2)
            made_up = _start([*_accepted(range(390)), other], accepted=390, failed={"unknown": 10})
            made_up.streams = 25
            self.assertEqual(is_right, not found(made_up, self.rule), earlier)

    def test_a_connection_that_the_provider_closed_may_have_swallowed_as_many_as_it_had_streams(self):
        pushes = _accepted(range(380)) + [push(START, 380, None, time=1000.2, connection=2)]
        made_up = _start(pushes, accepted=380, failed={"unknown": 20})
        made_up.streams = 19
        self.assertEqual([], found(made_up, self.rule))
        made_up.streams = 18
        self.assertIn("1 devices", found(made_up, self.rule)[0])

    def test_a_loss_after_the_end_is_no_reason(self):
        made_up = _start(_accepted(range(350)), [_kill(at=1003)], accepted=350, failed={"unknown": 50})
        self.assertEqual(1, len(found(made_up, self.rule)))

    def test_a_device_that_was_pushed_and_refused_is_not_left_out(self):
        pushes = _accepted(range(350)) + [push(START, device, 503) for device in range(350, 400)]
        made_up = _start(pushes, accepted=350, failed={"ServiceUnavailable": 50})
        self.assertEqual([], found(made_up, self.rule))

    def test_stale_content_is_a_reason_when_it_was_to_be_stale(self):
        fields = {"accepted": 350, "failed": {"Expired": 50}, "finished_at": 1012.0}
        self.assertEqual([], found(_start(_accepted(range(350)), expires_at=1012, **fields), self.rule))
        self.assertEqual(1, len(found(_start(_accepted(range(350)), expires_at=1100, **fields), self.rule)))
        self.assertEqual(1, len(found(_start(_accepted(range(350)), **fields), self.rule)))

    def test_who_is_skipped_or_cannot_be_reached_is_not_left_out(self):
        made_up = _start(_accepted(range(350)), accepted=350, skipped={"superseded": 50})
        self.assertEqual([], found(made_up, self.rule))
        made_up = _start(_accepted(range(350)), accepted=350, failed={"BadDeviceToken": 50},
                         is_reachable=lambda device: device < 350)
        self.assertEqual([], found(made_up, self.rule))


class LittleInDoubtTests(unittest.TestCase):
    rule = "little in doubt"

    def test_what_was_never_answered_may_be_unknown(self):
        pushes = _accepted(range(390)) + [push(START, device, None, connection=2) for device in range(390, 400)]
        made_up = _start(pushes, accepted=390, failed={"unknown": 10})
        self.assertEqual([], found(made_up, self.rule))

    def test_more_unknown_than_was_unanswered_is_found(self):
        pushes = _accepted(range(390)) + [push(START, device, None, connection=2) for device in range(390, 400)]
        made_up = _start(pushes, accepted=380, failed={"unknown": 20})
        self.assertIn("20 are unknown, and at most 10", found(made_up, self.rule)[0])

    def test_a_killed_gateway_leaves_what_was_on_the_wire_and_a_run_for_each_connection(self):
        pushes = _accepted(range(100), time=1000.1)
        innocent = _start(pushes, [_kill(1000.2)], accepted=0, failed={"unknown": 400})
        self.assertEqual([], found(innocent, self.rule))
        early = _start(_accepted(range(100), time=990.0), [_kill(1000.2)], accepted=0, failed={"unknown": 400},
                       created_at=990.0)
        self.assertIn("at most 384", found(early, self.rule)[0])


class KnownIsRecordedTests(unittest.TestCase):
    rule = "what is known is recorded"

    def test_an_acceptance_that_a_living_gateway_was_told_and_that_is_unknown_is_found(self):
        made_up = _start(_accepted(range(_COUNT)), accepted=390, failed={"unknown": 10})
        self.assertIn("told 10 acceptances", found(made_up, self.rule)[0])

    def test_being_cut_off_from_redis_is_no_reason(self):
        cut_off = Fault("cut off gateway", "gateway-0", 1000.0, 1009.0)
        made_up = _start(_accepted(range(_COUNT)), [cut_off], accepted=390, failed={"unknown": 10})
        self.assertEqual(1, len(found(made_up, self.rule)))

    def test_what_was_on_the_wire_when_a_gateway_was_killed_is_known_to_nobody(self):
        made_up = _start(_accepted(range(_COUNT), time=1000.1), [_kill(1000.2)], accepted=390, failed={"unknown": 10})
        self.assertEqual([], found(made_up, self.rule))

    def test_an_answer_is_on_the_wire_for_longer_while_all_answers_are_slow(self):
        for name, complaints in [("every answer takes 2 to 4 s", 0), ("503 to everybody", 1)]:
            slow = Fault("brownout", name, 995.0, 999.0)
            made_up = _start(_accepted(range(_COUNT), time=997.0), [slow, _kill(1001.2)], accepted=390,
                             failed={"unknown": 10}, created_at=996.0)
            self.assertEqual(complaints, len(found(made_up, self.rule)), name)

    def test_while_a_killed_gateway_is_away_the_others_know_what_they_are_told(self):
        killed = Fault("kill gateway", "gateway-0", 990.0, 1003.0)
        made_up = _start(_accepted(range(_COUNT)), [killed], accepted=390, failed={"unknown": 10}, created_at=990.0)
        self.assertEqual(1, len(found(made_up, self.rule)))

    def test_a_black_hole_swallows_answers_as_long_as_it_lasts(self):
        hole = Fault("black hole", "packets are lost", 990.0, 1003.0)
        made_up = _start(_accepted(range(_COUNT)), [hole], accepted=390, failed={"unknown": 10}, created_at=990.0)
        self.assertEqual([], found(made_up, self.rule))

    def test_an_answer_that_was_not_sent_is_known_to_nobody(self):
        pushes = _accepted(range(390)) + _accepted(range(390, 400), answer_sent=False, connection=2)
        self.assertEqual([], found(_start(pushes, accepted=390, failed={"unknown": 10}), self.rule))
        # Also when it was a stream that ended, and the connection went on.
        pushes = (_accepted(range(380, 390), answer_sent=False, time=990.0, connection=2)
                  + _accepted(range(380)) + _accepted(range(390, 400), connection=2))
        self.assertEqual([], found(_start(pushes, accepted=390, failed={"unknown": 10}, created_at=990.0), self.rule))

    def test_a_connection_that_broke_took_the_last_answers_along(self):
        pushes = (_accepted(range(380)) + _accepted(range(380, 390), time=999.7, connection=2)
                  + [push(START, 390, None, time=1000.0, connection=2)] + _accepted(range(391, 400)))
        self.assertEqual([], found(_start(pushes, accepted=389, failed={"unknown": 11}), self.rule))
        long_before = [*_accepted(range(380)), *_accepted(range(380, 390), time=998.8, connection=2),
                       push(START, 390, None, time=1000.0, connection=2), *_accepted(range(391, 400))]
        self.assertEqual(1, len(found(_start(long_before, accepted=389, failed={"unknown": 11}), self.rule)))


class OnTheWireTests(unittest.TestCase):
    """What was on the wire is what its gateway sent just before it was lost: nobody else's, and nothing earlier."""
    rule = "what is known is recorded"

    def complaints(self, faults, time, connection=1, devices=10):
        """Whether it is found that so many acceptances of gateway 0 (connection 1) or gateway 1 (2) are not recorded."""
        pushes = (_accepted(range(_COUNT - devices), time=990.0, connection=3)
                  + _accepted(range(_COUNT - devices, _COUNT), time=time, connection=connection))
        made_up = _start(pushes, faults, accepted=_COUNT - devices, failed={"unknown": devices}, created_at=985.0,
                         gateways={1: 0, 2: 1, 3: 1})
        return len(found(made_up, self.rule))

    def test_only_pushes_of_the_lost_gateway_were(self):
        for kind in ("kill gateway", "stop gateway", "terminate gateway", "shift clock"):
            self.assertEqual(0, self.complaints([_kill(kind=kind)], 1000.1), kind)
            self.assertEqual(1, self.complaints([_kill(kind=kind)], 1000.1, connection=2), kind)

    def test_what_nobody_knows_the_gateway_of_may_have_been(self):
        self.assertEqual(0, self.complaints([_kill()], 1000.1, connection=7))

    def test_an_outcome_that_is_written_more_than_a_second_late_is_found(self):
        self.assertEqual(0, self.complaints([_kill(1000.2)], 999.9))
        for earlier in (1.2, 1.4, 2.0):
            self.assertEqual(1, self.complaints([_kill(1000.2)], 1000.2 - earlier), f"{earlier} s before the kill")

    def test_after_its_return_a_gateway_knows_again(self):
        self.assertEqual(0, self.complaints([_kill(990.0, until=1003.0)], 990.4))
        self.assertEqual(1, self.complaints([_kill(990.0, until=1003.0)], 991.0))

    def test_a_gateway_whose_clock_is_put_right_is_lost_twice(self):
        shifted = [_kill(990.0, "shift clock", until=999.0, lost_again=996.0)]
        self.assertEqual([1, 0, 1], [self.complaints(shifted, time) for time in (994.0, 995.9, 998.0)])

    def test_lost_connections_of_all_concern_all(self):
        reset = Fault("reset connections", "all connections", 1000.2, 1000.2)
        self.assertEqual([0, 0], [self.complaints([reset], 1000.1, connection=each) for each in (1, 2)])
        self.assertEqual([1, 1], [self.complaints([reset], 999.0, connection=each) for each in (1, 2)])

    def test_what_redis_did_not_take_is_lost_with_the_gateway(self):
        for kind in ("kill redis", "slow redis", "slow disk", "full redis"):
            away = Fault(kind, "redis", 994.0, 999.0)
            self.assertEqual(0, self.complaints([away, _kill(1000.2)], 994.5), kind)
            self.assertEqual(1, self.complaints([away, _kill(1001.2)], 994.5), "it had time to write it down")
            self.assertEqual(1, self.complaints([away, _kill(1000.2)], 992.5), "that was before")
            # A gateway that lives brings what it knows.
            self.assertEqual(1, self.complaints([away], 994.5), kind)

    def test_what_a_gateway_that_was_cut_off_knew_is_lost_with_it_alone(self):
        cut_off = Fault("cut off gateway", "gateway-1", 994.0, 1001.0, gateway=1)
        self.assertEqual(1, self.complaints([cut_off, _kill(1000.2)], 994.5))
        cut_off = Fault("cut off gateway", "gateway-0", 994.0, 1001.0, gateway=0)
        self.assertEqual(0, self.complaints([cut_off, _kill(1000.2)], 994.5))

    def test_a_gateway_that_was_lost_before_a_start_leaves_nobody_of_it_in_doubt(self):
        for at, complaints in ((995.0, 1), (1000.2, 0)):
            made_up = _start(_accepted(range(380)), [_kill(at, until=1002.0)], accepted=380, failed={"unknown": 20})
            self.assertEqual(complaints, len(found(made_up, "little in doubt")), at)


if __name__ == "__main__":
    unittest.main()
