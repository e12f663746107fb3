"""The alerts and the dashboard, and what is wrong with them as they are written down.

`python3 -m monitoring.rules` in scripts/ says what the alerts lack, and ends with 1 when they lack something. It needs no
Prometheus.
"""

import json
import re
import sys

from . import ROOT

RULES = ROOT / "monitoring/fanfare.rules.yaml"
RULE_TESTS = ROOT / "monitoring/tests/fanfare.test.yaml"
RUNBOOK = ROOT / "docs/runbook.md"
DASHBOARD = ROOT / "monitoring/grafana/fanfare.json"

_INCREASE = re.compile(r"\b(?:increase|rate)\((\w+)(?:\{([^}]*)\})?\[")


def alerts(text):
    """The names of the rules, in their order."""
    return re.findall(r"^ +- alert: (\w+)$", text, re.MULTILINE)


def names_in(text):
    """Metrics that a text names, without the endings of histograms."""
    found = set(re.findall(r"\b(?:fanfare|process)_[a-z0-9_]+\b", text))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def findings(rules, tests, runbook):
    """Rules without a test or an entry in the runbook, and the other way round: sentences."""
    known = alerts(rules)
    for name in known:
        if len(re.findall(rf"alertname: {name}$", tests, re.MULTILINE)) < 3:
            yield f"{name}: no test of its quiet hours, its first event and its end"
        if f"\n### {name}\n" not in runbook:
            yield f"{name}: not in docs/runbook.md"
    for name in sorted(set(re.findall(r"^### (Fanfare\w+)$", runbook, re.MULTILINE)) - set(known)):
        yield f"docs/runbook.md: there is no alert {name}"
    if known != sorted(set(known), key=known.index):
        yield "two alerts have one name"


def unborn(rules, page):
    """Counters of which a rule looks for the increase, and of which a page has no series yet: sentences.

    The first of those is born at one, and nobody sees it come.
    """
    for name, selector in sorted(set(_INCREASE.findall(rules))):
        wanted = [part.strip() for part in selector.split(",") if re.fullmatch(r'\s*\w+="[^"]*"\s*', part)]
        series = [line for line in page.splitlines() if re.match(rf"{name}[ {{]", line)]
        if not any(all(part in line for part in wanted) for line in series):
            yield f"{name}{{{selector}}}: no series before the first event"


def panels(dashboard):
    """Title and query of each panel, with Grafana's variables replaced by what they stand for."""
    for panel in json.loads(dashboard)["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"].replace("$__rate_interval", "5s").replace("$instance", ".*")
            yield panel["title"], query


def main():
    text = RULES.read_text()
    found = list(findings(text, RULE_TESTS.read_text(), RUNBOOK.read_text()))
    print("\n".join(found) if found else f"{len(alerts(text))} alerts: each has its tests and its entry in the runbook")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
