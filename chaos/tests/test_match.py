import unittest

from match import audit
from mixed import segment
from mixed.audit import Ledger


def _good(count=400, goals=4):
    """Phones, who left, states and a ledger with which nothing is wrong."""
    phones, states, ledger = segment.phones(count), {}, Ledger()
    left = {phone.udid for phone in phones[:50:10]}
    for phone in phones:
        if phone.kind == "opted_out":
            continue
        states[phone.udid] = [{"state": "failed" if phone.kind in segment.DEAD else "ended"}]
        if phone.kind in segment.DEAD:
            continue
        channel = f"channel of {phone.kind}" if phone.kind in segment.FOLLOWERS else None
        ledger.add("start", phone.start_token, 0, channel)
        if phone.kind in segment.SYNCED:
            ledger.add("update", phone.update_token, goals)
            ledger.add("end", phone.update_token, "end")
    for channel in set(ledger.channel_of.values()):
        ledger.publish(channel, "update", goals, 1)
        ledger.publish(channel, "end", "end", 1)
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
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.add("start", phone.start_token, 0)), {"twice"})

    def test_whoever_got_nothing_is_found(self):
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.starts.pop(phone.start_token)), {"left_out"})

    def test_whoever_is_in_doubt_may_have_got_nothing(self):
        def change(phone, states, ledger):
            states[phone.udid] = [{"state": "unknown"}]
            ledger.starts.pop(phone.start_token)
        self.assertEqual(self.found(change), set())

    def test_a_content_and_an_end_that_are_missing_are_found(self):
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.updates.pop(phone.update_token)), {"updates"})
        self.assertEqual(self.found(lambda phone, _, ledger: ledger.ends.pop(phone.update_token)), {"ends"})

    def test_a_phone_that_is_listed_twice_is_found(self):
        self.assertEqual(self.found(lambda phone, states, _: states[phone.udid].append({"state": "ended"})), {"listed"})

    def test_a_channel_without_its_end_is_found(self):
        def change(_phone, _states, ledger):
            next(iter(ledger.published.values())).pop()
        self.assertEqual(self.found(change), {"channels"})


if __name__ == "__main__":
    unittest.main()
