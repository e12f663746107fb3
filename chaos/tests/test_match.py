import unittest

from match import audit
from harness.phone import Message
from mixed import segment
from mixed.audit import Ledger
from mixed.segment import END, MATCH, OTHER

from .test_mixed import name_of, publish, push


def _good(count=400, goals=4):
    """Phones, who left, states and a ledger with which nothing is wrong."""
    phones, states = segment.phones(count), {}
    ledger = Ledger(phones, [MATCH, OTHER])
    left = {phone.udid for phone in phones[:50:10]}
    for phone in phones:
        if phone.kind == "opted_out":
            continue
        states[phone.udid] = [{"state": "failed" if phone.kind in segment.DEAD else "ended"}]
        if phone.kind in segment.DEAD:
            continue
        channel = f"channel of {phone.kind}" if phone.kind in segment.FOLLOWERS else None
        push(ledger, phone.start_token, "start", 0, channel=channel, name=name_of(phone))
        if phone.kind in segment.SYNCED:
            push(ledger, phone.update_token(), "update", goals, name=name_of(phone))
            push(ledger, phone.update_token(), "end", END, name=name_of(phone))
    for channel in set(ledger.channel_of.values()):
        publish(ledger, channel, "update", goals, 1)
        publish(ledger, channel, "end", END, 1)
    return phones, left, states, ledger


class AuditTests(unittest.TestCase):
    def found(self, change=lambda *_: None):
        phones, left, states, ledger = _good()
        change([phone for phone in phones if phone.kind == "token" and phone.udid not in left][0], states, ledger)
        synced = {phone.udid for phone in phones if phone.kind in segment.SYNCED}
        return set(audit.violations(phones, left, synced, states, ledger, 4))

    def test_nothing_is_wrong_with_what_is_right(self):
        self.assertEqual(self.found(), set())

    def test_a_second_start_is_found(self):
        self.assertEqual(self.found(lambda phone, _, ledger: push(ledger, phone.start_token, "start", 0)), {"twice"})

    def test_whoever_got_nothing_is_found(self):
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.starts.pop((phone.start_token, MATCH))), {"left_out"})

    def test_whoever_is_in_doubt_may_have_got_nothing(self):
        def change(phone, states, ledger):
            states[phone.udid] = [{"state": "unknown"}]
            ledger.starts.pop((phone.start_token, MATCH))
        self.assertEqual(self.found(change), set())

    def test_a_content_and_an_end_that_are_missing_are_found(self):
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.updates.pop((phone.update_token(), MATCH))), {"updates"})
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.ends.pop((phone.update_token(), MATCH))), {"ends"})

    def test_a_phone_shows_two_matches_at_once(self):
        def change(phone, _states, ledger):
            for token, event, step in ((phone.start_token, "start", 0), (phone.update_token(OTHER), "end", END)):
                push(ledger, token, event, step, OTHER)
        self.assertEqual(self.found(change), set())

    def test_the_content_of_another_match_is_found(self):
        def change(phone, _states, ledger):
            ledger.live_activities(phone, MATCH)[0].state["match"] = OTHER
        self.assertEqual(self.found(change), {"content"})

    def test_a_push_that_a_phone_dropped_is_found(self):
        phones, _, _, ledger = _good()
        phone = next(phone for phone in phones if phone.kind == "token")
        push(ledger, phone.start_token, "start", 0, attributes={})
        self.assertIn("attributes lacks 'match'", audit.sentences_of_drops(phones, ledger)[0])

    def test_an_end_without_content_is_an_end_of_its_live_activity(self):
        def change(phone, _states, ledger):
            ledger.ends.pop((phone.update_token(), MATCH))
            ledger.push(phone.update_token(), Message("end", 3000))
        self.assertEqual(self.found(change), set())

    def test_a_phone_that_is_listed_twice_is_found(self):
        self.assertEqual(self.found(lambda phone, states, _: states[phone.udid].append({"state": "ended"})), {"listed"})

    def test_a_channel_without_its_end_is_found(self):
        def change(_phone, _states, ledger):
            next(iter(ledger.published.values())).pop()
        self.assertEqual(self.found(change), {"channels"})


if __name__ == "__main__":
    unittest.main()
