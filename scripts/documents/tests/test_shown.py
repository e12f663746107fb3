import unittest

from documents import ROOT, shown
from documents.markdown import Document

_HEAD = "| what happened | what comes of it now | shown by |\n|---|---|---|\n"
_TITLE = "One answer stops nothing, whatever it is"


class ShownTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.evidence = shown.Evidence(ROOT)

    def findings(self, by):
        return [sentence for _, sentence in shown.findings(Document(f"{_HEAD}| a | *b* | {by} |\n"), self.evidence)]

    def test_titles_of_tests_and_faults_and_invariants_of_chaos_are_known(self):
        self.assertEqual([], self.findings(f'*{_TITLE}*; "slow disk", "nobody left out", "crowd"'))

    def test_a_title_that_no_test_has_is_found(self):
        self.assertEqual([f"no test has the title {_TITLE} now"], self.findings(f"*{_TITLE} now*"))

    def test_a_fault_that_chaos_does_not_have_is_found(self):
        self.assertEqual(["chaos has neither a fault nor an invariant nor an attack slow disc"], self.findings(f'*{_TITLE}*; "slow disc"'))

    def test_what_nothing_shows_is_found(self):
        self.assertEqual(["nothing shows this"], self.findings("we believe so"))

    def test_every_row_of_each_page_is_looked_at(self):
        nothing = shown.Evidence(ROOT)
        nothing.titles, nothing.chaos = set(), set()
        for page, head in shown.DOCUMENTS.items():
            text = (ROOT / page).read_text(encoding="utf-8")
            rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(f"| {head} |")]
            self.assertGreater(len(rows), 10)
            self.assertEqual(len(rows), len({line for line, _ in shown.findings(Document(text), nothing)}), page)
