import unittest

from bench import publish
from bench.failure import BenchFailure
from bench.figure import Figure
from bench.samples import Samples


class PublishTests(unittest.TestCase):
    def test_only_what_stands_between_the_marks_changes(self):
        text = f"before\n{publish.BEGIN}\nold\n{publish.END}\nafter\n"
        once = publish.replaced(text, "new")
        self.assertEqual(once, f"before\n{publish.BEGIN}\nnew\n{publish.END}\nafter\n")
        self.assertEqual(publish.replaced(once, "new"), once)

    def test_a_text_without_marks_is_left_alone(self):
        with self.assertRaises(BenchFailure):
            publish.replaced("text", "new")

    def test_a_figure_without_a_target_comes_back_as_well(self):
        again = publish.figure(Figure("commands", "commands", Samples([12.3]), None, "count").json())
        self.assertIsNone(again.is_met)
        self.assertIsNone(again.target)

    def test_a_figure_comes_back_from_its_json(self):
        figure = Figure("syncs", "syncs", Samples([0.3, 0.5, 0.4]), 0.35, more_is_better=True, aim=0.5)
        again = publish.figure(figure.json())
        self.assertEqual((again.value, again.is_met, again.aim, again.unit), (0.4, True, 0.5, "ratio"))
