"""The table, and the files of a run."""

import decimal
import json
import os

from . import plot

_DIGITS = {"ratio": 3, "s": 2, "ms": 1, "fine ms": 3, "µs": 1, "MB": 0, "bytes": 0, "rate": 0, "count": 1}
#: How a unit is written behind a number; others as they are called.
_WRITTEN = {"ratio": "", "count": "", "fine ms": " ms", "rate": "/s"}
_MET = {True: "yes", False: "no", None: ""}


def quantity(value, unit):
    return _text(value, unit) + written(unit)


def written(unit):
    return _WRITTEN.get(unit, f" {unit}")


def _text(value, unit):
    """Halves go up, as a reader of the record's JSON has them go: 90.35 is 90.4, whatever a float makes of it."""
    step = decimal.Decimal(1).scaleb(-_DIGITS[unit])
    return f"{decimal.Decimal(repr(value)).quantize(step, decimal.ROUND_HALF_UP):,}"


def goal(figure):
    if figure.target is None:
        return "none"
    text = ("at least " if figure.more_is_better else "at most ") + short(figure.target, figure.unit)
    return text if figure.aim is None else f"{text} (aim {short(figure.aim, figure.unit)})"


def short(value, unit):
    return f"{value:.2f}" if unit == "ratio" else f"{value:g}" + written(unit)


def spread(figure):
    samples = figure.samples
    if len(samples.values) == 1:
        return "1 run"
    return f"{_text(samples.lowest, figure.unit)} to {_text(samples.highest, figure.unit)} in {len(samples.values)} runs"


def rows(figures):
    head = ("figure", "median", "target", "met", "from run to run")
    return [head] + [
        (each.title, quantity(each.value, each.unit), goal(each), _MET[each.is_met], spread(each))
        for each in figures]


def markdown_table(table):
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in table]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def terminal_table(table):
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    lines.insert(1, "─" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(lines)


def run_json(run, figures):
    return json.dumps(run | {"figures": [each.json() for each in figures]}, indent=1, ensure_ascii=False) + "\n"


def markdown(run, figures):
    machine, tools = run["machine"], run["versions"]
    notes = [f"- **{each.title}.** {' '.join(each.notes)}" for each in figures if each.notes]
    begin, end = (" ".join(f"{each:.2f}" for each in run[name]) for name in ("load_at_begin", "load_at_end"))
    return "\n".join([
        f"# Benchmarks of {run['date']}", "",
        "What each figure means is in [`../README.md`](../README.md#benchmarks). "
        f"`{run['date']}.json` has every measurement.", "",
        markdown_table(rows(figures)), "",
        *notes, "",
        f"Machine: {machine['cores']} cores ({machine['cores_used']} used), {machine['cpu']}, "
        f"{machine['memory_gb']} GB, Linux {machine['kernel']}. "
        + ", ".join(f"{name} {version}" for name, version in tools.items()) + ". "
        f"Sources: {run['commit']}. The run took {run['seconds'] / 60:.0f} minutes.", "",
        f"Load average (1, 5, 15 minutes) at the start {begin}, at the end {end}. The benchmark itself is part of the "
        "latter.", ""])


def write_plots(directory, figures):
    """Writes the tables and plots of figures that have some. Returns the paths."""
    paths = []
    for each in figures:
        if "table" not in each.details:
            continue
        os.makedirs(directory, exist_ok=True)
        texts = [("txt", each.details["table"] + "\n"),
                 ("json", json.dumps(each.json(), indent=1, ensure_ascii=False) + "\n")]
        if each.panels:
            texts.append(("svg", plot.svg(each.panels)))
        for ending, text in texts:
            paths.append(os.path.join(directory, f"{each.key}.{ending}"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
    return paths


def write(directory, run, figures):
    """Writes both files, and returns their paths. A second run of a day takes the place of the first."""
    os.makedirs(directory, exist_ok=True)
    paths = []
    for ending, text in (("md", markdown(run, figures)), ("json", run_json(run, figures))):
        path = os.path.join(directory, f"{run['date']}.{ending}")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
        paths.append(path)
    return paths
