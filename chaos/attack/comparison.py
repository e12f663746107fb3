"""Two sieges side by side, as Markdown: `python3 -m attack.comparison BEFORE.json NOW.json`."""

import json
import sys

_MEGABYTE = 1 << 20
_HEADER = ("attack", "neighbour's success", "his p50, p99 in peace", "his p50, p99 under attack",
           "gateway's memory: peace → most → after", "its descriptors: most", "Redis: most", "attackers were answered")


def _milliseconds(stretch):
    return f"{stretch['p50'] * 1000:.1f}, {stretch['p99'] * 1000:.1f} ms"


def _cells(attack):
    readings = attack["readings"]
    memory = " → ".join(f"{max(readings[when]['resident']) // _MEGABYTE}" for when in ("before", "peak", "after"))
    answers = sorted(attack["answers"].items(), key=lambda each: -each[1])[:3]
    return (f"{attack['neighbour']['attack']['success']:.1f} %", _milliseconds(attack["neighbour"]["peace"]),
            _milliseconds(attack["neighbour"]["attack"]), f"{memory} MB", f"{max(readings['peak']['descriptors']):,}",
            f"{readings['peak']['redis_bytes'] // _MEGABYTE} MB",
            ", ".join(f"{count:,} {answer}" for answer, count in answers) or "-")


def table(before, now):
    """A row for each attack of `now`, and above it one of `before` where that had it."""
    earlier = {attack["name"]: attack for attack in before["attacks"]}
    lines = ["| " + " | ".join(_HEADER) + " |", "|" + "---|" * len(_HEADER)]
    for attack in now["attacks"]:
        if attack["name"] in earlier:
            lines.append("| " + " | ".join((f"{attack['name']}, before", *_cells(earlier[attack["name"]]))) + " |")
        lines.append("| " + " | ".join((f"**{attack['name']}**", *_cells(attack))) + " |")
    return "\n".join(lines)


def not_held(record):
    """By attack, how many of its bounds did not hold, of how many."""
    return {attack["name"]: (sum(not check["is_held"] for check in attack["checks"]), len(attack["checks"]))
            for attack in record["attacks"]}


def main():
    with open(sys.argv[1], encoding="utf-8") as one, open(sys.argv[2], encoding="utf-8") as other:
        before, now = json.load(one), json.load(other)
    print(table(before, now))
    print()
    for name, (failed, of) in not_held(now).items():
        print(f"- {name}: {of - failed} of {of} bounds held; before {not_held(before).get(name, ('-', '-'))[0]} did not")


if __name__ == "__main__":
    main()
