import collections
import unittest

from harness.phone import Message
from mixed import audit, segment
from mixed.segment import END, MATCH


def push(ledger, token, event, step, match=MATCH, **more):
    """An accepted push to a phone; `more` replaces members of the message."""
    values = {"event": event, "timestamp": 1000 + step, "state": segment.content(match, step)}
    if event == "start":
        values |= {"type": segment.APP_TYPE.name, "attributes": segment.alert(match)["attributes"]}
    ledger.push(token, Message(**values | more))


def publish(ledger, channel, event, step, followers, match=MATCH):
    ledger.publish(channel, Message(event, 1000 + step, state=segment.content(match, step)), followers)


def name_of(phone):
    """The name by which an Android app knows a Live Activity again."""
    return "activity" if phone.kind in segment.ANDROID else None


def _good(count=400, newest=3):
    """Phones, states and a ledger with which nothing is wrong."""
    phones, states = segment.phones(count), {}
    ledger = audit.Ledger(phones, [MATCH])
    for phone in phones:
        if phone.kind == "opted_out":
            continue
        states[phone.udid] = "failed" if phone.kind in segment.DEAD else "ended"
        if phone.kind in segment.DEAD:
            continue
        channel = f"channel of {phone.kind}" if phone.kind in segment.FOLLOWERS else None
        push(ledger, phone.start_token, "start", 0, channel=channel, name=name_of(phone))
        if phone.kind in segment.SYNCED:
            push(ledger, phone.update_token(), "update", newest, name=name_of(phone))
            push(ledger, phone.update_token(), "end", END, name=name_of(phone))
    for channel, followers in collections.Counter(ledger.channel_of.values()).items():
        publish(ledger, channel, "update", newest, followers)
        publish(ledger, channel, "end", END, followers)
    return phones, states, ledger


def _first(phones, kind):
    return next(phone for phone in phones if phone.kind == kind)


class SegmentTests(unittest.TestCase):
    def test_every_hundred_phones_have_the_same_kinds(self):
        counts = collections.Counter(phone.kind for phone in segment.phones(300))
        self.assertEqual(counts, {kind: 3 * count for kind, count in segment.SHARES})
        tokens = [phone.start_token for phone in segment.phones(300)]
        self.assertEqual(len(set(tokens)), 300)

    def test_a_phone_reports_what_it_is(self):
        phones = segment.phones(100)
        self.assertEqual(_first(phones, "channel").record()["os_version"], "18.1")
        self.assertEqual(_first(phones, "sandbox_channel").record()["environment"], "sandbox")
        self.assertIn("registration_token", _first(phones, "android").record())
        self.assertNotIn("token", _first(phones, "android").sync(activity_id="a"))
        self.assertFalse(_first(phones, "opted_out").record()["push_opt_in"])


class AuditTests(unittest.TestCase):
    def found(self, change):
        phones, states, ledger = _good()
        change(phones, states, ledger)
        return set(audit.violations(phones, states, ledger, 3))

    def test_nothing_is_wrong_with_what_is_right(self):
        self.assertEqual(self.found(lambda *_: None), set())

    def test_a_second_start_is_found(self):
        self.assertIn("started twice", self.found(
            lambda phones, states, ledger: push(ledger, _first(phones, "token").start_token, "start", 0)))

    def test_whoever_got_nothing_is_found(self):
        def lose(phones, states, ledger):
            ledger.starts[_first(phones, "android").start_token, MATCH] = 0
        self.assertEqual(self.found(lose), {"outcomes"})
        self.assertEqual(self.found(lambda phones, states, ledger: states.pop(_first(phones, "token").udid)), {"left out"})

    def test_one_in_doubt_may_have_its_start_or_not(self):
        for starts in (0, 1):
            def doubt(phones, states, ledger, starts=starts):
                phone = _first(phones, "token")
                states[phone.udid], ledger.starts[phone.start_token, MATCH] = "unknown", starts
                ledger.updates[phone.update_token(), MATCH], ledger.ends[phone.update_token(), MATCH] = [], 0
            self.assertEqual(self.found(doubt), set())

    def test_a_missing_update_or_end_is_found(self):
        def no_update(phones, states, ledger):
            ledger.updates[_first(phones, "android").update_token(), MATCH] = [1, 2]

        def no_end(phones, states, ledger):
            ledger.ends[_first(phones, "token").update_token(), MATCH] = 0
        self.assertEqual(self.found(no_update), {"newest state"})
        self.assertEqual(self.found(no_end), {"ends"})

    def test_a_push_to_a_channel_that_came_before_a_follower_is_found(self):
        def late(phones, states, ledger):
            channel = "channel of channel"
            ledger.published[channel] = [(event, step, followers - 1)
                                         for event, step, followers in ledger.published[channel]]
        self.assertEqual(self.found(late), {"channels"})

    def test_a_start_without_its_channel_is_found(self):
        def forget(phones, states, ledger):
            phone = _first(phones, "channel")
            channel = ledger.channel_of.pop((phone.start_token, MATCH))
            ledger.published[channel] = [(event, step, count - 1) for event, step, count in ledger.published[channel]]
        self.assertEqual(self.found(forget), {"channels"})

    def test_pushes_to_whoever_cannot_have_any_are_found(self):
        def start(kind):
            return lambda phones, states, ledger: push(ledger, _first(phones, kind).start_token, "start", 0)
        self.assertEqual(self.found(start("opted_out")), {"passed over"})
        self.assertEqual(self.found(start("dead_android")), {"dead tokens"})

    def test_a_start_without_its_attributes_is_found(self):
        for kind in ("token", "android", "channel"):
            self.assertEqual(self.played(kind, attributes={}), {"dropped", "content"}, kind)

    def test_content_that_does_not_decode_is_found(self):
        self.assertEqual(self.played("token", state={"match": MATCH, "step": "0"}), {"dropped", "content"})

    def test_other_content_than_that_of_the_end_is_found(self):
        def change(phones, _states, ledger):
            phone = _first(phones, "token")
            ledger.live_activities(phone, MATCH)[0].state["step"] = 2
        self.assertEqual(self.found(change), {"content"})

    def played(self, kind, **more):
        """The kinds of violations after a phone's start was as `more` says."""
        def change(phones, _states, ledger):
            phone = _first(phones, kind)
            ledger.crowd.phones.pop(phone.start_token)
            ledger.starts[phone.start_token, MATCH] = 0
            push(ledger, phone.start_token, "start", 0, name=name_of(phone), **more)
            ledger.starts[phone.start_token, MATCH] = 1
        return self.found(change)

    def test_counts_that_do_not_add_up_are_found(self):
        record = {"total": 5, "accepted": 3, "failed": {"Unregistered": 1}, "skipped": {"not_synced": 1},
                  "cohorts": {"apns": {"accepted": 2}, "channel": {"accepted": 1}}}
        self.assertIsNone(audit.sums(record))
        self.assertIn("2 as accepted", audit.sums(record | {"cohorts": {"apns": {"accepted": 2}}}))
        self.assertIn("5 outcomes of 6", audit.sums(record | {"total": 6}))


if __name__ == "__main__":
    unittest.main()
