import unittest

from harness import script
from harness.people import People

_SCRIPT = script.provider_script(People(200, "1"))


class ScriptTests(unittest.TestCase):
    def test_a_brownout_comes_first_and_leaves_everything_else_as_it_is(self):
        for draw in (0.0, 0.3, 0.8):
            name, changes = script.brownout(_SCRIPT, draw)
            self.assertEqual(["rules"], list(changes))
            self.assertEqual(_SCRIPT["rules"], changes["rules"][1:], name)

    def test_a_slow_provider_still_knows_the_dead_tokens(self):
        name, changes = script.brownout(_SCRIPT, 0.6)
        self.assertIn("2 to 4 s", name)
        *dead, rest = changes["rules"]
        self.assertEqual([410, 400], [rule["status"] for rule in dead])
        self.assertTrue(all(rule["latency"] == rest["latency"] for rule in dead))
        self.assertEqual("accept", rest["action"])

    def test_every_draw_is_some_brownout_and_some_sickness(self):
        names = {script.brownout(_SCRIPT, draw / 100)[0] for draw in range(100)}
        self.assertEqual(4, len(names))
        sick = {script.sick_connection(_SCRIPT, draw / 100, 6)[0] for draw in range(100)}
        self.assertEqual(2, len(sick))

    def test_a_sick_connection_is_one_of_so_many_and_answers_at_once(self):
        rule = script.sick_connection(_SCRIPT, 0.0, 6)[1]["rules"][0]
        self.assertEqual((6, {"fixed_ms": 0}, 500), (rule["connection_every"], rule["latency"], rule["status"]))

    def test_what_the_provider_began_with_is_not_changed(self):
        before = len(_SCRIPT["rules"])
        for change in (script.brownout(_SCRIPT, 0.1)[1], script.silence(_SCRIPT)):
            self.assertEqual(before + 1, len((_SCRIPT | change)["rules"]))
        self.assertEqual(before, len(_SCRIPT["rules"]))
