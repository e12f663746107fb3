import json
import os
import tempfile
import unittest

from bench import bounds
from bench.figure import Figure
from bench.samples import Samples

RUN = {"date": "2026-01-02", "commit": "abc", "build": "here", "short": False}
COST = Figure("cost", "cost of a call", Samples([90.0]), 120.0, "µs", bound="small", before=570.0, notes=["A note."])
LOG = Figure("log", "the log", Samples([1.2]), 1.05, bound="log", notes=["A note."])
OTHER = Figure("other", "in no table of bounds", Samples([1.0]), 2.0)


class BoundTests(unittest.TestCase):
    def test_only_figures_that_name_a_group_are_rows(self):
        self.assertEqual([each["key"] for each in bounds.rows([OTHER, LOG, COST], RUN)], ["log", "cost"])

    def test_a_row_says_what_was_measured_beside_what_it_was(self):
        self.assertEqual(bounds.table(bounds.rows([COST, LOG], RUN))[1:], [
            ("cost of a call", "at most 120 µs", "90.0 µs", "570.0 µs", "held"),
            ("the log", "at most 1.05", "1.200", "", "not held")])

    def test_a_row_that_is_measured_alone_takes_the_place_of_the_one_before(self):
        again = Figure("cost", "cost of a call", Samples([200.0]), 120.0, "µs", bound="small")
        with tempfile.TemporaryDirectory() as directory:
            bounds.write(directory, bounds.rows([LOG, COST], RUN))
            paths = bounds.write(directory, bounds.rows([again], RUN))
            self.assertEqual(sorted(os.listdir(directory)), ["bounds.json", "bounds.md"])
            with open(paths[0], encoding="utf-8") as file:
                rows = json.load(file)["rows"]
            with open(paths[1], encoding="utf-8") as file:
                text = file.read()
        self.assertEqual([(each["key"], each["held"]) for each in rows], [("cost", False), ("log", False)])
        self.assertIn("| cost of a call | at most 120 µs", text)
        self.assertEqual(text.count("A note."), 1)

    def test_every_group_of_the_table_has_a_title(self):
        for each in (COST, LOG):
            self.assertIn(each.bound, bounds.GROUPS)
