import unittest

from documents import ROOT, words


class WordTests(unittest.TestCase):
    words = {"quaint": "plain", "Oddity": "rule"}

    def test_a_word_that_was_given_up_is_found_in_sentences_and_in_names(self):
        for text in ("A quaint word.", "Quaint", "quaintness = quaints", "isQuaint", "QuaintThings", "a_quaint_word"):
            self.assertEqual(1, len(list(words.findings_in(text, self.words))), text)
        self.assertEqual([(2, "quaint: say plain")], list(words.findings_in("one\n-- quaint", self.words)))

    def test_other_words_and_keys_of_redis_are_not(self):
        for text in ("quaintly", "acquainted", "QUAINT", "fanfare:{g:TENANT}:quaint", "An oddity.", "Oddity"):
            self.assertEqual([], list(words.findings_in(text, self.words)), text)

    def test_a_name_that_the_contract_has_given_is_no_finding_and_hides_none(self):
        for text, count in (("too_many_cards", 0), ("skipped.too_many_cards: 2", 0), ("far_too_many", 1)):
            self.assertEqual(count, len(list(words.findings_in(text, {"many": "all"}))), text)

    def test_a_word_with_a_capital_is_found_within_names(self):
        self.assertEqual([(1, "Oddity: say rule")], list(words.findings_in("let theOddity = 1", self.words)))
        self.assertEqual(1, len(list(words.findings_in("struct OddThing {", {"OddThing": "rule"}))))

    def test_the_words_stand_in_the_glossary(self):
        found = words.given_up((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
        self.assertGreater(len(found), 8)
        self.assertEqual({"a": "c", "b": "c"}, words.given_up(
            f"| x | y |\n{words.HEADLINE}\n\n| not | but |\n|---|---|\n| a, b | c |\n"))
