import unittest

from harness import invariants
from harness.phone import AppType, Phone

from .made_up import END, START, UPDATE, evidence, push, record

_TYPE = AppType("MatchAttributes", {"match": int}, {"home": int, "over": bool})


def start(timestamp=1, **more):
    return {"event": "start", "timestamp": timestamp, "attributes-type": "MatchAttributes",
            "attributes": {"match": 1}, "content-state": {"home": 0, "over": False}} | more


def update(home, timestamp, **more):
    return {"event": "update", "timestamp": timestamp, "content-state": {"home": home, "over": False}} | more


class PhoneTests(unittest.TestCase):
    def test_two_live_activities_of_one_type_keep_their_tokens_apart(self):
        phone = Phone(_TYPE)
        first, second = phone.start(start()), phone.start(start(attributes={"match": 2}))
        phone.report(first, "a")
        phone.report(second, "b")
        self.assertNotEqual(first.system_id, second.system_id)
        self.assertTrue(phone.push("b", update(7, 2)))
        self.assertEqual([0, 7], [each.state["home"] for each in phone.shown])

    def test_a_bound_token_stays_where_it_is(self):
        phone = Phone(_TYPE)
        first, second = phone.start(start()), phone.start(start())
        phone.report(first, "a")
        phone.report(second, "a")
        self.assertIs(first, phone.live_activity_of("a"))
        self.assertIsNone(second.token)

    def test_a_start_that_does_not_decode_shows_nothing(self):
        for wrong in [{"attributes": {}}, {"attributes": {"match": "1"}}, {"attributes": {"match": True}},
                      {"attributes": None}, {"attributes-type": "Other"}, {"timestamp": "1"},
                      {"content-state": {"home": 0}}, {"content-state": {"home": 0, "over": 0}}]:
            phone = Phone(_TYPE)
            self.assertIsNone(phone.start(start(**wrong)), wrong)
            self.assertEqual(([], 1), (phone.shown, len(phone.drops)), wrong)

    def test_an_update_that_does_not_decode_changes_nothing(self):
        phone = Phone(_TYPE)
        live_activity = phone.start(start())
        phone.report(live_activity, "a")
        self.assertFalse(phone.push("a", update("1", 2)))
        self.assertEqual((0, 1, 1), (live_activity.state["home"], live_activity.timestamp, len(phone.drops)))

    def test_an_older_update_changes_nothing(self):
        phone = Phone(_TYPE)
        live_activity = phone.start(start())
        phone.report(live_activity, "a")
        self.assertTrue(phone.push("a", update(2, 3)))
        self.assertFalse(phone.push("a", update(1, 2)))
        self.assertEqual((2, []), (live_activity.state["home"], phone.drops))

    def test_an_end_without_content_keeps_the_last_state(self):
        phone = Phone(_TYPE)
        live_activity = phone.start(start())
        phone.report(live_activity, "a")
        phone.push("a", update(2, 3))
        self.assertTrue(phone.push("a", {"event": "end", "timestamp": 4}))
        self.assertEqual((2, True), (live_activity.state["home"], live_activity.is_over))
        self.assertFalse(phone.push("a", update(3, 5)))


class ShownTests(unittest.TestCase):
    @staticmethod
    def found(made_up):
        return [each.text for each in invariants.audit(made_up)["the right content"]]

    @staticmethod
    def pushes(*others, without=()):
        kept = [push(each, device) for each in (START, UPDATE, END) for device in range(3)
                if (each, device) not in without]
        return kept + list(others)

    def test_right_content_is_no_violation(self):
        self.assertEqual([], self.found(evidence()))

    def test_a_start_without_required_attributes_is_found(self):
        bad = push(START, 1)
        bad.aps["attributes"] = {}
        pushes = [bad] + self.pushes(without=[(START, 1)])
        self.assertEqual(["device 1 dropped 1 accepted pushes"], self.found(evidence(pushes=pushes)))

    def test_the_content_of_another_activity_is_found(self):
        foreign = push(END, 1, activity=8)
        pushes = self.pushes(foreign, without=[(END, 1)])
        self.assertIn("1 wrong Live Activities", self.found(evidence(pushes=pushes))[0])

    def test_the_content_of_another_call_is_found(self):
        other = push(END, 1, call=2)
        pushes = self.pushes(other, without=[(END, 1)])
        self.assertIn("1 wrong Live Activities", self.found(evidence(pushes=pushes))[0])

    def test_old_content_is_found(self):
        pushes = self.pushes(without=[(END, 1)])
        self.assertIn("1 Live Activities are older", self.found(evidence(pushes=pushes))[0])

    def test_a_live_activity_without_any_push_is_found(self):
        pushes = self.pushes(without=[(UPDATE, 1), (END, 1)])
        self.assertIn("1 Live Activities are older", self.found(evidence(pushes=pushes))[0])

    def test_content_that_the_record_gives_up_is_no_violation(self):
        records = evidence().records | {END: record(END, accepted=2, failed={"unknown": 1})}
        pushes = self.pushes(without=[(END, 1)])
        self.assertEqual([], self.found(evidence(pushes=pushes, records=records)))

    def test_a_dead_token_is_no_violation(self):
        pushes = self.pushes(push(END, 1, 410), without=[(END, 1)])
        self.assertEqual([], self.found(evidence(pushes=pushes)))
