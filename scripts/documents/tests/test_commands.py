import unittest

from documents import commands
from documents.markdown import Document

DESCRIPTION = {"command": {"commandName": "fanfare", "subcommands": [
    {"commandName": "serve", "arguments": [{"kind": "option", "names": [{"kind": "long", "name": "config"}]}]},
    {"commandName": "tenant", "subcommands": [
        {"commandName": "create", "arguments": [{"kind": "flag", "names": [{"kind": "long", "name": "json"}]}]}]},
]}}


class CommandTests(unittest.TestCase):
    def findings(self, text):
        line = commands.CommandLine(DESCRIPTION)
        return [sentence for _, sentence in commands.findings(Document(text), {"test", "bench"}, line)]

    def shell(self, text):
        return self.findings(f"```sh\n{text}\n```\n")

    def test_what_is_there_is_right(self):
        self.assertEqual(self.shell("make bench QUICK=1\nfanfare tenant create shop --json > a & fanfare serve &"), [])
        self.assertEqual(self.findings("Run `fanfare serve --config FILE` and `make test`."), [])

    def test_a_command_and_an_option_that_are_not_there_are_found(self):
        self.assertEqual(self.shell("A=1 fanfare server"), ["fanfare has no command server"])
        self.assertEqual(self.findings("`fanfare tenant create x --yaml`"), ["fanfare tenant create has no --yaml"])
        self.assertEqual(self.shell("ID=$(fanfare tenant make shop)"), ["fanfare tenant has no command make"])

    def test_the_value_of_an_option_is_no_command(self):
        self.assertEqual(self.shell("fanfare serve --config tenant && fanfare --help"), [])

    def test_a_target_that_is_not_there_is_found(self):
        self.assertEqual(self.findings("`make coffee`"), ["there is no `make coffee`"])

    def test_what_the_shell_does_not_understand_is_found(self):
        self.assertIn("bash does not understand", self.shell("if true; then")[0])
        self.assertEqual(self.findings("```yaml\nif true; then\n```\n"), [])
