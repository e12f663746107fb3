import unittest

from bench import readme
from bench.failure import BenchFailure
from bench.figure import Figure
from bench.samples import Samples


class ReadmeTests(unittest.TestCase):
    def test_only_what_stands_between_the_marks_changes(self):
        text = f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n"
        once = readme.replaced(text, "new")
        self.assertEqual(once, f"before\n{readme.BEGIN}\nnew\n{readme.END}\nafter\n")
        self.assertEqual(readme.replaced(once, "new"), once)

    def test_a_text_without_marks_is_left_alone(self):
        with self.assertRaises(BenchFailure):
            readme.replaced("text", "new")

    def test_a_figure_without_a_target_comes_back_as_well(self):
        again = readme.figure(Figure("commands", "commands", Samples([12.3]), None, "count").json())
        self.assertIsNone(again.is_met)
        self.assertIsNone(again.target)

    def test_a_figure_comes_back_from_its_json(self):
        figure = Figure("syncs", "syncs", Samples([0.3, 0.5, 0.4]), 0.35, more_is_better=True, aim=0.5)
        again = readme.figure(figure.json())
        self.assertEqual((again.value, again.is_met, again.aim, again.unit), (0.4, True, 0.5, "ratio"))
