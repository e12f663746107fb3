"""Puts the newest results into docs/capacity.md: `python3 -m bench.publish`, in loadtest/."""

import glob
import json
import os
import sys

from . import report
from .failure import BenchFailure
from .figure import Figure
from .samples import Samples

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
_HERE = os.path.dirname(os.path.abspath(__file__))


def figure(entry):
    return Figure(
        entry["key"], entry["title"], Samples(entry["samples"]), entry["target"], entry["unit"],
        entry["more_is_better"], entry["aim"])


def section(run):
    """What stands between the marks."""
    table = [row[:4] for row in report.rows([figure(each) for each in run["figures"]])]
    machine = run["machine"]
    return (f"{report.markdown_table(table)}\n\n"
            f"Measured on {run['date']} on {machine['cores_used']} cores of an {machine['cpu']}, load average "
            f"{run['load_at_begin'][0]} at the start; [its record](../loadtest/results/{run['date']}.md) has the rest.")


def replaced(text, new):
    """The text with what stands between the marks replaced."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BenchFailure(f"there is no place between {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{new}\n{END}{after}"


def main():
    files = sorted(glob.glob(os.path.join(_HERE, "../results/????-??-??.json")))
    path = os.path.join(_HERE, "../../docs/capacity.md")
    try:
        if not files:
            raise BenchFailure("there are no results yet: make bench")
        with open(files[-1], encoding="utf-8") as file:
            run = json.load(file)
        with open(path, encoding="utf-8") as file:
            text = replaced(file.read(), section(run))
    except BenchFailure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
