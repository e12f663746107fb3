import dataclasses
import unittest

from harness import invariants
from harness.evidence import Record
from harness.journal import Call
from harness.phone import AppType, Crowd, Message, Phone

from .made_up import ACTIVITY, END, LATER, START, UPDATE, attempt, evidence, push, record, sync

_TYPE = AppType("MatchAttributes", {"match": int}, {"home": int, "over": bool})


def start(timestamp=1, **more):
    return Message.of_apns({"event": "start", "timestamp": timestamp, "attributes-type": "MatchAttributes",
            "attributes": {"match": 1}, "content-state": {"home": 0, "over": False}} | more)


def update(home, timestamp, **more):
    return Message.of_apns(
        {"event": "update", "timestamp": timestamp, "content-state": {"home": home, "over": False}} | more)


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
        self.assertTrue(phone.push("a", Message("end", 4)))
        self.assertEqual((2, True), (live_activity.state["home"], live_activity.is_over))
        self.assertFalse(phone.push("a", update(3, 5)))


class CrowdTests(unittest.TestCase):
    def setUp(self):
        self.crowd = Crowd(_TYPE)
        self.crowd.own("a", "s", match=1)
        self.crowd.own("b", "s", match=2)

    def test_each_token_belongs_to_the_live_activity_with_its_attributes(self):
        for match in (1, 2):
            self.crowd.start("s", start(attributes={"match": match}))
        self.crowd.push("b", update(7, 2))
        self.crowd.push("a", update(5, 2))
        self.assertEqual([5, 7], [each.state["home"] for each in self.crowd.phone("s").shown])

    def test_a_channel_reaches_those_alone_that_follow_it(self):
        self.crowd.start("s", start(**{"input-push-channel": "c"}))
        self.crowd.start("s", start())
        self.crowd.publish("c", update(3, 2))
        self.crowd.publish("d", update(4, 3))
        self.assertEqual([3, 0], [each.state["home"] for each in self.crowd.phone("s").shown])

    def test_an_android_app_shows_a_name_once(self):
        data = {"live_activity_event": "start", "live_activity_timestamp": "1", "live_activity_type": "MatchAttributes",
                "live_activity_id": "n", "attributes": '{"match":1}', "content_state": '{"home":0,"over":false}'}
        for more in ({}, {}, {"live_activity_event": "update", "live_activity_timestamp": "2",
                              "content_state": '{"home":4,"over":false}'}):
            message = Message.of_fcm(data | more)
            (self.crowd.start if message.event == "start" else self.crowd.push)("r", message)
        self.assertEqual([4], [each.state["home"] for each in self.crowd.phone("r").shown])
        self.crowd.start("r", Message.of_fcm(data | {"attributes": "{}", "live_activity_id": "o"}))
        self.assertEqual(1, len(self.crowd.phone("r").drops))


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
        self.assertEqual(["1 accepted pushes did not decode", f"activity {ACTIVITY}: 1 wrong Live Activities"],
                         self.found(evidence(pushes=pushes)))

    def test_an_update_that_came_late_has_the_newest_timestamp_and_is_not_asked_for(self):
        late = record(UPDATE, state="superseded", accepted=0, timestamp=1002)
        pushes = self.pushes(without=[(UPDATE, device) for device in range(3)])
        records = {START: record(START), UPDATE: late, END: record(END)}
        self.assertEqual([], self.found(evidence(pushes=pushes, records=records)))

    def test_a_later_call_without_an_answer_may_have_the_timestamp_of_one_that_came_late(self):
        for shown, sent, found in ((9, False, 0), (2, False, 1), (9, True, 1)):
            late = record(END, state="superseded", accepted=0)
            pushes = self.pushes(without=[(END, device) for device in range(3)])
            pushes += [dataclasses.replace(push(END, device, call=shown), broadcast="unanswered") for device in range(3)]
            if sent:
                pushes += [push(END, 0, 500)]
            records = evidence().records | {END: late}
            self.assertEqual(found, len(self.found(evidence(pushes=pushes, records=records))), (shown, sent))

    def test_a_call_that_was_repeated_may_have_the_timestamp_of_one_that_it_superseded(self):
        for created_at, found in ((2001.0, 0), (1001.0, 1)):
            records = evidence().records | {
                UPDATE: record(UPDATE, created_at=created_at), END: record(END, state="superseded", accepted=0)}
            pushes = self.pushes(without=[(END, device) for device in range(3)])
            pushes += [dataclasses.replace(push(END, device, call=2), broadcast=UPDATE[:28]) for device in range(3)]
            self.assertEqual(found, len(self.found(evidence(pushes=pushes, records=records))), created_at)

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

    def test_an_end_of_its_own_in_the_same_second_is_the_newest(self):
        other = "66666666-6666-4666-8666-666666666666"
        own = Call(9, "end", ACTIVITY, targets=[1], attempts=[attempt(broadcast=other, sent_at=1001.5)])
        records = evidence().records | {other: Record(other, ACTIVITY, "end", "done", accepted=1, timestamp=1002)}
        mine = dataclasses.replace(push(END, 1, call=9), broadcast=other[:28])
        made_up = evidence(calls=evidence().calls + [own], records=records,
                           pushes=self.pushes(mine, without=[(END, 1)]))
        self.assertEqual([], self.found(made_up))

    def test_a_dead_token_is_no_violation(self):
        pushes = self.pushes(push(END, 1, 410), without=[(END, 1)])
        self.assertEqual([], self.found(evidence(pushes=pushes)))

    def test_a_phone_that_shows_nothing_is_found(self):
        pushes = self.pushes(without=[(START, 1)])
        made_up = invariants.audit(evidence(pushes=pushes))["the right content"]
        self.assertIn("device 1 shows no Live Activity; the customer asked for call 3 of activity 7", made_up[0].details)

    def test_a_report_that_is_taken_for_another_activity_is_found(self):
        syncs = [sync(device) for device in range(3)]
        syncs[1].way, syncs[1].answered_activity = "type", LATER
        self.assertIn("device 1 reported bb01", self.found(evidence(syncs=syncs))[0])


class LatePushTests(unittest.TestCase):
    def test_a_report_after_a_relaunch_explains_no_late_end(self):
        syncs = [sync(device) for device in range(3)] + [sync(1, acknowledged_at=1010.0)]
        pushes = evidence().pushes + [push(END, 1, time=1011.0)]
        self.assertTrue(invariants.audit(evidence(syncs=syncs, pushes=pushes))["nothing after the end"])

    def test_a_first_report_behind_the_end_explains_it(self):
        syncs = [sync(0), sync(2), sync(1, acknowledged_at=1010.0)]
        pushes = evidence().pushes + [push(END, 1, time=1011.0)]
        self.assertFalse(invariants.audit(evidence(syncs=syncs, pushes=pushes))["nothing after the end"])
