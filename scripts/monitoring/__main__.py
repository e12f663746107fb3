"""Checks what is watched of a running gateway.

    python3 -m monitoring BINARY [--page FILE]

Starts a mock provider, a gateway with a private Redis and a Prometheus, plays an activity's life and a start that the provider
refuses. Fails when promtool has anything to say about the page, when OpenMetrics cannot be read, when docs/metrics.md does not
name exactly the metrics of the page, when an alert names a metric that is not there, has no test or no entry in the runbook,
looks for the increase of what is not there before, when the first stop of a broadcast raises no alert, or when a query of the
dashboard finds nothing.
"""

import argparse
import os
import pathlib
import re
import sys
import time

from . import rules
from .prometheus import Prometheus, promtool
from .scene import scene, wait_for

#: Seconds in which all that the dashboard shows is to be there.
PATIENCE = 30


def of_page(page):
    status, said = promtool("check", "metrics", text=page)
    if status or said.strip():
        yield f"promtool check metrics:\n{said}"
    there = set(re.findall(r"^# TYPE (\S+)", page, re.M))
    described = rules.names_in((rules.ROOT / "docs/metrics.md").read_text())
    for name in sorted(there ^ described):
        yield f"{name}: " + ("not in docs/metrics.md" if name in there else "only in docs/metrics.md")
    for file in (rules.RULES, rules.DASHBOARD):
        for name in sorted(rules.names_in(file.read_text()) - there):
            yield f"{file.name}: {name} is not at /metrics"


def of_rules():
    for arguments in (("check", "rules", rules.RULES), ("test", "rules", rules.RULE_TESTS)):
        status, said = promtool(*map(str, arguments))
        if status:
            yield said
    yield from rules.findings(rules.RULES.read_text(), rules.RULE_TESTS.read_text(), rules.RUNBOOK.read_text())


def of_play(binary, page_file):
    with scene(binary) as stage:
        begin = time.time()
        prometheus = Prometheus(stage)
        yield from rules.unborn(rules.RULES.read_text(), stage.page())
        # Two scrapes before anything happens: as a gateway is scraped that has been there for a while.
        wait_for(lambda: prometheus.samples("count_over_time(fanfare_redis_up[1m]) >= 2"), "two scrapes")
        stage.life()
        stage.refused_starts()
        for alert in ("FanfareBroadcastStopped", "FanfarePushesRejected"):
            wait_for(lambda name=alert: prometheus.is_firing(name), alert)
        page = stage.page()
        if page_file:
            pathlib.Path(page_file).write_text(page)
        yield from of_page(page)
        open_metrics = stage.page(Accept="application/openmetrics-text")
        if not open_metrics.endswith("\n# EOF\n") or "# TYPE fanfare_pushes counter\n" not in open_metrics:
            yield "OpenMetrics is asked for, and is not what comes"
        yield from of_dashboard(prometheus, begin)


def of_dashboard(prometheus, begin):
    # What was counted a moment ago has no rate yet.
    end = time.monotonic() + PATIENCE
    for title, query in rules.panels(rules.DASHBOARD.read_text()):
        try:
            while prometheus.series(query, begin, time.time()) == 0:
                if time.monotonic() > end:
                    yield f"dashboard, {title}: {query} finds nothing"
                    break
                time.sleep(0.2)
        except ValueError as error:
            yield f"dashboard, {title}: {query}: {error}"


def main():
    parser = argparse.ArgumentParser(description="Checks metrics, alerts and the dashboard with promtool and Prometheus.")
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--page", help="also write the page to this file")
    arguments = parser.parse_args()
    found = [*of_rules(), *of_play(arguments.binary, arguments.page)]
    if found:
        sys.exit("\n".join(found))
    text = rules.RULES.read_text()
    print(f"{len(rules.alerts(text))} alerts, {len(list(rules.panels(rules.DASHBOARD.read_text())))} queries of the dashboard: "
          "as they are written down")


if __name__ == "__main__":
    main()
