import hashlib
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


class ListTests(unittest.TestCase):
    def root(self, comment, listed):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for folder in (*style.FOLDERS, "scripts/documents"):
            (root / folder).mkdir(parents=True)
        (root / "Sources/A.swift").write_text(comment)
        (root / "CHANGELOG.md").write_text("")
        (root / style.LIST).write_text(listed)
        return root

    two = "/// What is told.\nvar a = 1\n"
    entry = f"Sources/A.swift {hashlib.sha256(two.encode()).hexdigest()[:12]}\n"

    def test_an_unchanged_file_of_the_list_may_have_findings(self):
        self.assertEqual([], list(style.findings(self.root(self.two, self.entry))))
        self.assertEqual(2, len(list(style.findings(self.root(self.two, "")))))

    def test_a_changed_file_has_to_comply(self):
        root = self.root(self.two + "var b = 2\n", self.entry)
        self.assertEqual(2, len(list(style.findings(root))))
        self.assertEqual((1, 2), style.relist(root))
        self.assertEqual(2, len(list(style.findings(root))))

    def test_a_file_that_complies_leaves_the_list(self):
        root = self.root("/// A text.\n", self.entry)
        self.assertEqual(1, len(list(style.findings(root))))
        self.assertEqual((0, 0), style.relist(root))
        self.assertEqual([], list(style.findings(root)))

    def test_a_file_of_the_list_that_is_gone_is_named(self):
        root = self.root("", "Sources/B.swift 0123456789ab\n")
        self.assertEqual([f"{style.LIST}: there is no Sources/B.swift"], list(style.findings(root)))


if __name__ == "__main__":
    unittest.main()
