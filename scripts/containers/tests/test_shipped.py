import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[3]


class ShippedTests(unittest.TestCase):
    def test_every_file_of_a_secret_is_made_or_named(self):
        guide = (ROOT / "docs/installing.md").read_text()
        files = re.findall(r"--from-file=(?:[\w.]+=)?([\w.]+)", guide)
        self.assertIn("sealing.key", files)
        for file in files:
            # Apple's key comes from its site; all else is made by a command of the guide.
            self.assertTrue(file.startswith("AuthKey_") or f"> {file}" in guide, file)

    def test_links_to_services_are_off(self):
        self.assertIn("enableServiceLinks: false", (ROOT / "packaging/kubernetes/base/deployment.yaml").read_text())

    def test_redis_of_the_composition_keeps_what_it_answers(self):
        text = (ROOT / "packaging/docker/compose.yaml").read_text()
        self.assertRegex(text, r"--appendfsync\n\s+- always")

    def test_credentials_of_the_composition_are_there_for_commands(self):
        text = (ROOT / "packaging/docker/compose.yaml").read_text()
        for name in ("URL", "CA_FILE", "KEY_FILE", "KEY_ID", "TEAM_ID", "BUNDLE_ID"):
            self.assertRegex(text, rf"\n      FANFARE_APNS_{name}: ")
