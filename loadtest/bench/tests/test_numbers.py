import unittest

from bench.figure import Figure, rounded
from bench.samples import Samples, ratios


class SamplesTests(unittest.TestCase):
    def test_the_median_of_an_even_number_lies_between_the_middle_two(self):
        self.assertEqual(Samples([4, 1, 3, 100]).median, 3.5)

    def test_one_bad_round_does_not_move_the_median(self):
        self.assertEqual(Samples([1.0, 1.1, 9.0]).median, 1.1)

    def test_ratios_are_made_within_a_round(self):
        # The machine was three times slower in the second round, for both.
        self.assertEqual(ratios(Samples([1, 3]), Samples([4, 12])).values, [0.25, 0.25])

    def test_ratios_need_both_sides_of_every_round(self):
        with self.assertRaises(ValueError):
            ratios(Samples([1, 2]), Samples([1]))


class FigureTests(unittest.TestCase):
    def test_a_cost_is_met_up_to_its_target(self):
        self.assertTrue(Figure("a", "A", Samples([0.2]), 0.2).is_met)
        self.assertFalse(Figure("a", "A", Samples([0.21]), 0.2).is_met)

    def test_a_yield_is_met_from_its_target_on(self):
        self.assertTrue(Figure("a", "A", Samples([0.35]), 0.35, more_is_better=True).is_met)
        self.assertFalse(Figure("a", "A", Samples([0.34]), 0.35, more_is_better=True).is_met)

    def test_the_json_has_what_was_measured(self):
        json = Figure("a", "A", Samples([0.123456, 0.2]), 0.2, details={"us": [1.23456]}).json()
        self.assertEqual(json["samples"], [0.1235, 0.2])
        self.assertEqual(json["details"], {"us": [1.235]})
        self.assertIs(json["met"], True)

    def test_counts_are_not_rounded(self):
        self.assertEqual(rounded({"devices": 1_000_001}), {"devices": 1_000_001})
