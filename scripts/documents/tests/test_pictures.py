import unittest
import xml.dom.minidom

from documents import layers, states

STATES = """title A life
state young 0 0 not yet / old
final old 1 0 it is
start young
young -> old: years pass
young -> young: birthdays
old ->> young: never
"""


def target(name, *others, kind="regular", path=None):
    return {"name": name, "type": kind, "path": path, "dependencies": [{"byName": [each, None]} for each in others]}


class StateTests(unittest.TestCase):
    def test_a_picture_has_every_state_note_and_label_and_is_xml(self):
        svg = states.Diagram(STATES).svg("life.states")
        xml.dom.minidom.parseString(svg)
        for words in ("A life", "young", "not yet", "old", "it is", "years pass", "birthdays", "never"):
            self.assertIn(f">{words}<", svg)

    def test_the_same_text_is_drawn_alike(self):
        self.assertEqual(states.Diagram(STATES).svg("a"), states.Diagram(STATES).svg("a"))

    def test_a_state_that_is_not_there_and_a_line_that_is_none_are_errors(self):
        for text in ("state a 0 0\na -> b: x\n", "stat a 0 0\n", "state a 0 0\na -> a\n"):
            with self.assertRaises(states.DiagramError):
                states.Diagram(text)


class LayerTests(unittest.TestCase):
    package = {"targets": [
        target("Base", path="Sources/Low/Base"), target("Middle", "Base", path="Sources/Low/Middle"),
        target("Top", "Base", "Middle", path="Sources/High/Top"), target("Side", path="Sources/High/Side"),
        target("TopTests", "Top", kind="test"), target("Helper", "Top", path="Tests/Helper"),
    ]}

    def test_a_target_stands_above_all_that_it_is_built_on_and_above_lower_layers(self):
        heights = layers.heights_of(layers.graph_of(self.package), layers.layers_of(self.package))
        self.assertEqual(heights, {"Base": 0, "Middle": 1, "Top": 2, "Side": 2})

    def test_arrows_that_follow_from_others_are_left_out(self):
        self.assertEqual(
            layers.reduced(layers.graph_of(self.package)),
            {"Base": set(), "Middle": {"Base"}, "Top": {"Middle"}, "Side": set()})

    def test_a_picture_has_the_targets_of_the_product_alone_by_layer(self):
        svg = layers.svg_of(self.package)
        xml.dom.minidom.parseString(svg)
        for words in (">Top<", ">Side<", ">Low<", ">High<"):
            self.assertIn(words, svg)
        self.assertNotIn("Helper", svg)
        self.assertNotIn("TopTests", svg)
