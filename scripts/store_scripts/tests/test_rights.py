import unittest

from store_scripts import rights
from store_scripts.malformed import Malformed


class RightsTests(unittest.TestCase):
    def test_each_command_has_a_sample_call(self):
        self.assertEqual([["GET", "KEY"], ["TIME"]], rights.calls({"TIME", "GET"}))

    def test_a_command_without_a_sample_call_is_a_mistake(self):
        with self.assertRaisesRegex(Malformed, "FLUSHALL"):
            rights.calls({"GET", "FLUSHALL"})
