import json
import os
import tempfile
import unittest

from bench import report
from bench.figure import Figure
from bench.samples import Samples

COST = Figure("cost", "cost of a push", Samples([0.1, 0.3, 0.2]), 0.2, aim=0.1, notes=["A note."])
SYNCS = Figure("syncs", "syncs", Samples([0.3]), 0.35, more_is_better=True)
RUN = {
    "date": "2026-01-02", "commit": "abc", "seconds": 120.0, "load_at_begin": [0.1, 0.2, 0.3],
    "load_at_end": [1.0, 2.0, 3.0], "versions": {"nginx": "1.2.3"},
    "machine": {"cores": 4, "cores_used": 2, "cpu": "A CPU", "kernel": "6.1", "memory_gb": 8},
}


class TableTests(unittest.TestCase):
    def test_a_row_has_the_median_the_target_and_the_spread(self):
        self.assertEqual(
            report.rows([COST])[1],
            ("cost of a push", "0.200", "at most 0.20 (aim 0.10)", "yes", "0.100 to 0.300 in 3 runs"))

    def test_what_is_missed_is_said(self):
        self.assertEqual(report.rows([SYNCS])[1], ("syncs", "0.300", "at least 0.35", "no", "1 run"))

    def test_a_figure_without_a_target_is_neither_met_nor_missed(self):
        figure = Figure("commands", "commands", Samples([1234.56]), None, "count")
        self.assertEqual(report.rows([figure])[1], ("commands", "1,234.6", "none", "", "1 run"))

    def test_units_are_written_behind_the_number(self):
        self.assertEqual(report.quantity(1234.4, "MB"), "1,234 MB")
        self.assertEqual(report.quantity(0.456, "s"), "0.46 s")

    def test_halves_go_up_as_the_digits_of_the_record_have_them(self):
        self.assertEqual(report.quantity(90.35, "ms"), "90.4 ms")
        self.assertEqual(report.quantity(1234.5, "MB"), "1,235 MB")
        self.assertEqual(report.quantity(1000, "count"), "1,000.0")

    def test_a_markdown_table_has_columns_of_one_width(self):
        lines = report.markdown_table([("a", "bb"), ("ccc", "d")]).splitlines()
        self.assertEqual(lines, ["| a   | bb |", "|-----|----|", "| ccc | d  |"])

    def test_a_terminal_table_has_no_blanks_at_the_end(self):
        lines = report.terminal_table([("a", "bb"), ("ccc", "d")]).splitlines()
        self.assertEqual(lines, ["a    bb", "───────", "ccc  d"])


class FileTests(unittest.TestCase):
    def test_both_files_are_named_by_the_day_and_nothing_else_is_left(self):
        with tempfile.TemporaryDirectory() as directory:
            results = os.path.join(directory, "results")
            report.write(results, RUN, [SYNCS])
            report.write(results, RUN, [COST, SYNCS])
            self.assertEqual(sorted(os.listdir(results)), ["2026-01-02.json", "2026-01-02.md"])
            with open(os.path.join(results, "2026-01-02.json"), encoding="utf-8") as file:
                self.assertEqual([each["key"] for each in json.load(file)["figures"]], ["cost", "syncs"])

    def test_the_page_says_where_and_with_what(self):
        page = report.markdown(RUN, [COST, SYNCS])
        for text in ["4 cores (2 used), A CPU, 8 GB, Linux 6.1", "nginx 1.2.3", "Sources: abc", "0.10 0.20 0.30",
                     "1.00 2.00 3.00", "- **cost of a push.** A note."]:
            self.assertIn(text, page)
