import unittest

from harness.answers import is_rightful


class AnswerTests(unittest.TestCase):
    def test_what_is_carried_out_is_right(self):
        for kind in ("register", "add-users", "start", "update", "end"):
            self.assertTrue(is_rightful(kind, 200, None, 1))
            self.assertTrue(is_rightful(kind, 202, None, 0))

    def test_nobody_left_is_right_when_the_provider_may_have_called_all_tokens_dead(self):
        for kind in ("register", "add-users", "start", "update"):
            self.assertTrue(is_rightful(kind, 422, "NO_ELIGIBLE_DEVICE", 0), kind)
            self.assertFalse(is_rightful(kind, 422, "NO_ELIGIBLE_DEVICE", 1), kind)
        self.assertFalse(is_rightful("end", 422, "NO_ELIGIBLE_DEVICE", 0))

    def test_another_422_is_never_right(self):
        self.assertFalse(is_rightful("start", 422, "IDEMPOTENCY_KEY_REUSED", 0))

    def test_an_activity_is_gone_only_after_somebody_asked_for_its_end(self):
        for kind in ("start", "update", "end"):
            self.assertTrue(is_rightful(kind, 404, "NOT_FOUND", 5, may_be_over=True))
            self.assertFalse(is_rightful(kind, 404, "NOT_FOUND", 5))

    def test_a_conflict_is_right_for_the_calls_that_can_have_it(self):
        self.assertTrue(is_rightful("start", 409, "ALREADY_STARTED", 5))
        self.assertFalse(is_rightful("update", 409, "ALREADY_STARTED", 5))
        self.assertFalse(is_rightful("update", 409, "NOT_STARTED", 5))
        for kind in ("update", "end"):
            self.assertTrue(is_rightful(kind, 409, "DEVICE_NOT_SYNCED", 5))
        self.assertFalse(is_rightful("start", 409, "DEVICE_NOT_SYNCED", 5))
        self.assertFalse(is_rightful("register", 409, "ALREADY_STARTED", 5))

    def test_a_refused_key_or_body_is_never_right(self):
        for status in (400, 401, 403, 405, 413):
            self.assertFalse(is_rightful("update", status, "VALIDATION_FAILED", 0, may_be_over=True))
