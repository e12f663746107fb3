import pathlib
import tempfile
import unittest

from documents import links
from documents.markdown import Document

TEXT = """# Fanfare's *first* `hour`

See [there](other.md#two-words) and `[not](this.md)`, ![a picture](picture.svg).

```sh
curl "[nor](this.md)"
```

## What is `promised`?
## What is promised
"""


class MarkdownTests(unittest.TestCase):
    def test_headings_become_anchors_as_on_github(self):
        self.assertEqual(
            Document(TEXT).anchors, {"fanfares-first-hour", "what-is-promised", "what-is-promised-1"})

    def test_links_in_code_are_none(self):
        self.assertEqual(list(Document(TEXT).links), [(3, "other.md#two-words"), (3, "picture.svg")])

    def test_code_is_told_from_text(self):
        document = Document(TEXT)
        self.assertEqual(document.blocks, [(5, "sh", 'curl "[nor](this.md)"\n')])
        self.assertIn((3, "[not](this.md)"), list(document.code))


class LinkTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "other.md").write_text("## Two words\n", encoding="utf-8")

    def findings(self, text):
        path = self.root / "this.md"
        path.write_text(text, encoding="utf-8")
        return [sentence for _, sentence in links.findings(path, Document(text), self.root)]

    def test_files_and_anchors_that_are_there_are_right(self):
        text = "## Here\n[a](other.md) [b](other.md#two-words) [c](#here) [d](https://example.com)"
        self.assertEqual(self.findings(text), [])

    def test_a_file_that_is_not_there_is_found(self):
        self.assertEqual(self.findings("[a](gone.md)"), ["there is no gone.md"])

    def test_an_anchor_that_is_not_there_is_found(self):
        self.assertEqual(
            self.findings("[a](other.md#three) [b](#here)"),
            ["other.md has no heading #three", "this document has no heading #here"])

    def test_a_link_out_of_the_project_and_plain_http_are_found(self):
        self.assertEqual(len(self.findings("[a](../../etc/passwd) [b](http://example.com)")), 2)
