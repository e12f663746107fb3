import os
import unittest

from documents import ROOT, check

EXECUTABLE = os.environ.get("FANFARE_BINARY", str(ROOT / ".build/debug/fanfare"))


class ProjectTests(unittest.TestCase):
    def test_links_commands_names_and_pictures_of_all_documents_are_right(self):
        self.assertTrue(os.access(EXECUTABLE, os.X_OK), f"{EXECUTABLE} is not built: swift build")
        self.assertEqual(list(check.findings(EXECUTABLE)), [])

    def test_the_documents_that_the_readme_promises_are_looked_at(self):
        names = {path.relative_to(ROOT).as_posix() for path in check.documents()}
        self.assertLessEqual({"README.md", "ARCHITECTURE.md", "docs/first-hour.md", "docs/glossary.md"}, names)
