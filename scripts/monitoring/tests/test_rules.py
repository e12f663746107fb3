"""What the look at alerts and dashboard finds."""

import json
import unittest

from monitoring import rules

RULES = """
      - alert: FanfareOne
        expr: increase(one_total{kind="a", other!="b"}[10m]) > 0
      - alert: FanfareTwo
        expr: sum(rate(two_total[5m])) > 0
"""
TESTS = "alertname: FanfareOne\n" * 3 + "alertname: FanfareTwo\n" * 3
RUNBOOK = "\n### FanfareOne\n\n### FanfareTwo\n"


class Findings(unittest.TestCase):
    def of(self, tests=TESTS, runbook=RUNBOOK):
        return list(rules.findings(RULES, tests, runbook))

    def test_all_is_there(self):
        self.assertEqual([], self.of())

    def test_what_is_missing_is_named(self):
        self.assertEqual(["FanfareTwo: no test of its quiet hours, its first event and its end"],
                         self.of(tests=TESTS.replace("alertname: FanfareTwo\n", "", 1)))
        self.assertEqual(["FanfareOne: not in docs/runbook.md"], self.of(runbook="\n### FanfareTwo\n"))
        self.assertEqual(["docs/runbook.md: there is no alert FanfareThree"],
                         self.of(runbook=RUNBOOK + "\n### FanfareThree\n"))

    def test_the_projects_own_rules(self):
        text = rules.RULES.read_text()
        self.assertGreater(len(rules.alerts(text)), 20)
        self.assertEqual([], list(rules.findings(text, rules.RULE_TESTS.read_text(), rules.RUNBOOK.read_text())))


class Unborn(unittest.TestCase):
    def test_counters_that_are_there_at_zero(self):
        page = 'one_total{kind="a",other="c"} 0\ntwo_total 0\n'
        self.assertEqual([], list(rules.unborn(RULES, page)))

    def test_counters_that_are_born_later(self):
        page = 'one_total{kind="b"} 0\n# HELP two_total x\ntwo_total_more 1\n'
        self.assertEqual(['one_total{kind="a", other!="b"}: no series before the first event',
                          "two_total{}: no series before the first event"], list(rules.unborn(RULES, page)))


class Names(unittest.TestCase):
    def test_metrics(self):
        self.assertEqual({"fanfare_a_seconds", "process_b"},
                         rules.names_in("rate(fanfare_a_seconds_bucket[1m]) + fanfare_a_seconds_sum / process_b"))

    def test_panels(self):
        board = {"panels": [{"title": "row"}, {"title": "Rate", "targets": [
            {"expr": 'rate(a{instance=~"$instance"}[$__rate_interval])'}]}]}
        self.assertEqual([("Rate", 'rate(a{instance=~".*"}[5s])')], list(rules.panels(json.dumps(board))))
