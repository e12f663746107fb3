import unittest

from harness.invariants.leftovers import problem
from harness.evidence import Key

_ACTIVITY = "00000000-0000-4000-8000-0000000000a1"


class LeftoverTests(unittest.TestCase):
    def test_what_stays_for_ever_may(self):
        for name in ("fanfare:tenants", "fanfare:{t:x}", "fanfare:{k:x}", "fanfare:{u:t:ann}", "fanfare:{7}:due",
                     "fanfare:{news}:jobs", "fanfare:layout"):
            self.assertIsNone(problem(Key(name, "hash", -1)))

    def test_keys_of_activities_must_expire(self):
        for name in (f"fanfare:{{7}}:a:{_ACTIVITY}", f"fanfare:{{7}}:a:{_ACTIVITY}:b:x",
                     f"fanfare:{{{_ACTIVITY}.0}}:u:0", "fanfare:{b:x}", "fanfare:{i:t:x}", "fanfare:something new"):
            self.assertIsNotNone(problem(Key(name, "hash", -1)), name)
            self.assertIsNone(problem(Key(name, "hash", 1000)), name)

    def test_an_empty_stream_may_stay_and_no_other(self):
        name = "fanfare:{7}:j:broadcasts"
        self.assertIsNone(problem(Key(name, "stream", -1)))
        self.assertIn("1 entries", problem(Key(name, "stream", -1, length=1)))
        self.assertIn("1 of them", problem(Key(name, "stream", -1, pending=1)))

    def test_nothing_counts_as_open(self):
        for name in (f"fanfare:{{7}}:a:{_ACTIVITY}:open", "fanfare:{7}:open"):
            self.assertIn("open", problem(Key(name, "hash", 1000)))

    def test_leases_and_counts_of_partitions_go_also_when_they_would_expire(self):
        self.assertIn("lease", problem(Key("fanfare:{7}:lease", "string", 1000)))
        self.assertIn("lease", problem(Key("fanfare:{7}:lease:x", "string", 1000)))
        self.assertIn("counts", problem(Key(f"fanfare:{{{_ACTIVITY}.0}}:b:x", "hash", 1000)))
