"""The table of bounds: whatever figure names a group of it, beside what it was before.

A figure is a row by itself once it is made with `bound="GROUP"` (one of GROUPS), `before` and a `target`. Rows are kept
in a file from run to run, so that one that is measured alone takes the place of the same one of before.
"""

import json
import os

from . import report

#: In the order of the table.
GROUPS = {
    "small": "An update of one device",
    "register": "Registering and importing",
    "syncs": "The storm of syncs",
    "log": "The log",
    "idle": "A gateway with nothing to do",
}
_HELD = {True: "held", False: "not held", None: ""}


def row(figure, run):
    return {
        "key": figure.key, "group": figure.bound, "title": figure.title, "before": figure.before,
        "bound": report.goal(figure), "value": report.quantity(figure.value, figure.unit),
        "before_text": "" if figure.before is None else report.quantity(figure.before, figure.unit),
        "held": figure.is_met, "measured": figure.json(), "date": run["date"], "commit": run["commit"],
        "build": run["build"], "short": run["short"],
    }


def rows(figures, run):
    return [row(each, run) for each in figures if each.bound is not None]


def merged(kept, new):
    """By groups, and within one as they were first measured; a new row takes the place of the one of the same key."""
    by_key = {each["key"]: each for each in kept if each["group"] in GROUPS}
    by_key |= {each["key"]: each for each in new}
    return [each for group in GROUPS for each in by_key.values() if each["group"] == group]


def table(rows_of_all):
    return [("bound", "it should be", "measured", "before", "")] + [
        (each["title"], "" if each["bound"] == "none" else each["bound"], each["value"], each["before_text"],
         _HELD[each["held"]]) for each in rows_of_all]


def markdown(rows_of_all):
    """A table for each group, and the notes behind them."""
    lines = ["# Bounds", "", "What small calls, syncs, the log and an idle gateway may cost, and what was measured. "
             "[`../README.md`](../README.md#bounds) says what each is; `bounds.json` has every measurement.", ""]
    for group, title in GROUPS.items():
        own = [each for each in rows_of_all if each["group"] == group]
        if not own:
            continue
        lines += [f"## {title}", "", report.markdown_table(table(own)), ""]
        notes = {}
        for each in own:
            for note in each["measured"]["notes"]:
                notes.setdefault(note, []).append(each["title"])
        lines += [f"- **{titles[0]}.** {note}" for note, titles in notes.items()]
        origin = sorted({f"{each['date']}, sources {each['commit']}{', in short' if each['short'] else ''}"
                         for each in own})
        lines += ["", f"Measured: {'; '.join(origin)}.", ""]
    return "\n".join(lines)


def write(directory, new):
    """Puts the rows into both files, beside those that were not measured this time. Returns the paths."""
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "bounds.json")
    kept = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)["rows"]
    rows_of_all = merged(kept, new)
    texts = {"bounds.json": json.dumps({"rows": rows_of_all}, indent=1, ensure_ascii=False) + "\n",
             "bounds.md": markdown(rows_of_all)}
    for name, text in texts.items():
        target = os.path.join(directory, name)
        with open(target + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(target + ".new", target)
    return [os.path.join(directory, name) for name in texts]
