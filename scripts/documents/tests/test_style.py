import pathlib
import tempfile
import unittest

from documents import style


class StyleTests(unittest.TestCase):
    def found(self, *lines, suffix=".swift"):
        return [sentence for _, sentence in style.findings_in("\n".join(lines), suffix)]

    def test_a_comment_starts_with_a_noun_or_a_verb(self):
        self.assertEqual([], self.found("/// The number of open streams.", "var count = 0"))
        self.assertEqual(['a comment starts with "What"'], self.found("/// What it holds."))
        self.assertEqual(['a comment starts with "Whether"'], self.found("-- Whether it is there.", suffix=".lua"))
        self.assertEqual([], self.found("/// The page", "/// What follows is its second line."))

    def test_each_paragraph_and_field_starts_anew(self):
        self.assertEqual(
            [(4, 'a comment starts with "How"'), (6, 'a comment starts with "When"')],
            list(style.findings_in("\n".join([
                "", "/// Reads a page.", "///", "/// How it does that.", "/// - Parameters:",
                "///   - time: When it was read."]), ".swift")))

    def test_pronouns_and_verbs_are_found_outside_code(self):
        self.assertEqual(['name the subject in place of "nobody"'], self.found("// Because nobody reads it."))
        self.assertEqual(['say what the program does in place of "looks for"'], self.found("/// A gateway looks for it."))
        self.assertEqual([], self.found("/// Calls `nobody.looks(for:)`.", 'let text = "nobody"'))

    def test_sentences_and_lines_have_a_longest_length(self):
        self.assertEqual([], self.found("/// A " + "w " * 24, "///", "/// B."))
        self.assertEqual(1, len(self.found("/// A " + "word " * 12, "/// " + "word " * 14)))
        self.assertEqual([], self.found("/// A " + "word " * 12 + "end.", "/// The " + "word " * 14))
        self.assertEqual(["a comment line has 121 columns; 120 are the most"], self.found("/// " + "a" * 117))

    def test_what_is_for_tools_and_blocks_of_code_is_passed_over(self):
        self.assertEqual([], self.found("// MARK: What is told", "// swift-tools-version: 6.2"))
        self.assertEqual([], self.found("/// An example:", "/// ```", "/// nobody told", "/// ```"))

    def test_the_changelog_has_sections_and_short_entries(self):
        def found(*lines):
            text = "\n".join(["# Changelog", "", "## Unreleased", "", *lines, "", "## 0.1.0", "", "Older text."])
            return list(style.changelog_findings(text))
        self.assertEqual([], found("### Fixed", "", "- An entry."))
        self.assertEqual([(5, "an entry has 21 words; 20 are the most")], found("- " + "word " * 21))
        self.assertEqual(1, len(found("### Improved")))
        self.assertEqual(1, len(found("- An entry", "  of two lines.")))


class FilesTests(unittest.TestCase):
    def test_findings_name_their_file(self):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for folder in style.FOLDERS:
            (root / folder).mkdir()
        (root / "Sources/A.swift").write_text("/// What is told.\nvar a = 1\n")
        (root / "Tests/B.lua").write_text("-- A text.\n")
        (root / "CHANGELOG.md").write_text("")
        self.assertEqual(["Sources/A.swift:1"] * 2, [finding.split(": ")[0] for finding in style.findings(root)])


if __name__ == "__main__":
    unittest.main()
