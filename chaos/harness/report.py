"""What a run was, and what the invariants say of it."""

import collections
import dataclasses
import json
import re

from .invariants import outcomes as outcome_invariants
from .invariants import order, pace, reach

_DETAILS = 24


def summary(run, evidence, verdict):
    """Plain data, for people and for `--json`."""
    calls = collections.Counter(f"{call.kind}: {call.outcome}" for call in evidence.calls)
    calls.update(f"sync: {sync.outcome}" for sync in evidence.syncs)
    retries = sum(len(call.attempts) - 1 for call in evidence.calls)
    pushes = collections.Counter(
        f"{push.event}: {'no answer' if push.status is None else push.status}" for push in evidence.pushes)
    states = collections.Counter(f"{record.kind}: {record.state}" for record in evidence.records.values())
    overtaken = [seconds for _, _, seconds in order.overtaken(evidence)]
    shapes = collections.Counter(f"{_shape(key.name)} ({key.type})" for key in evidence.keys)
    outcomes = collections.Counter()
    for record in evidence.records.values():
        outcomes["accepted"] += record.accepted
        outcomes.update({f"failed {reason}": count for reason, count in record.failed.items()})
        outcomes.update({f"skipped {reason}": count for reason, count in record.skipped.items()})
    reached = [found for _, found in reach.reaches(evidence)]
    waits = list(pace.waits(evidence))
    return {
        "seed": run.seed, "redis": run.options.redis, "gateways": run.options.gateways,
        "seconds_of_load": run.options.seconds, "settled_after": run.settled_after,
        "activities": len(evidence.activities), "calls": dict(sorted(calls.items())), "further_attempts": retries,
        "broadcasts": dict(sorted(states.items())), "outcomes": dict(sorted(outcomes.items())),
        "pushes": dict(sorted(pushes.items())), "keys": dict(sorted(shapes.items())),
        "overtaken_live_activities": len(overtaken), "overtaken_by_seconds": round(max(overtaken, default=0.0), 1),
        "second_live_activities": sum(len(list(outcome_invariants.second_live_activities(evidence, activity)))
                            for activity in evidence.activities.values()),
        "never_pushed": sum(each.never_pushed for each in reached),
        "marked_only": sum(each.marked_only for each in reached),
        "known_unrecorded": sum(each.known_unrecorded for each in reached),
        "device_seconds_without_newest": round(pace.device_seconds(waits)),
        "longest_wait": round(max((wait.end - wait.begin for wait in waits), default=0.0), 1),
        "late_pushes": sum(len(late) for _, late in order.late_pushes(evidence)),
        "faults": [{"kind": fault.kind, "target": fault.target, "at": fault.at, "until": fault.until}
                   for fault in evidence.faults],
        "takeovers": takeovers(evidence),
        "invariants": {rule: [{"text": each.text, "details": list(each.details)} for each in found]
                  for rule, found in verdict.items()},
    }


def _shape(name):
    """A key's name with its ids, numbers and hashes left out."""
    name = re.sub(r"\{u:.*\}", "{u:…}", name)
    return re.sub(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27,}|[0-9a-fA-F]{32,}|\b\d+\b", "…", name)


def takeovers(evidence):
    """For each fault: the broadcasts that were under way, and the seconds until the last had ended."""
    found = []
    for fault in evidence.faults:
        under_way = [record for record in evidence.records.values()
                     if record.created_at < fault.at and (record.finished_at is None or record.finished_at > fault.at)]
        ends = [record.finished_at for record in under_way]
        if under_way:
            found.append({"kind": fault.kind, "target": fault.target, "broadcasts": len(under_way),
                          "seconds": None if None in ends else round(max(ends) - fault.at, 1)})
    return found


def text(data):
    lines = ["", f"seed {data['seed']}: {data['gateways']} gateways, Redis {data['redis']},"
                 f" {data['seconds_of_load']:.0f} s of load, {data['activities']} activities, settled"
                 f" {data['settled_after']:.1f} s after it", ""]
    lines += _block("calls by their last answer", data["calls"])
    lines.append(f"  attempts beyond the first: {data['further_attempts']}")
    lines += _block("broadcasts", data["broadcasts"])
    lines += _block("outcomes of devices", data["outcomes"])
    lines += _block("pushes at the provider", data["pushes"])
    lines.append(f"  phones with a second Live Activity: {data['second_live_activities']}")
    lines.append(f"  devices that could be reached and were never pushed: {data['never_pushed']}; unknown, and lost"
                 f" with a gateway or a connection: {data['marked_only']}")
    lines.append(f"  acceptances told to a gateway that lived and not recorded: {data['known_unrecorded']}")
    lines.append(f"  device-seconds without the newest state: {data['device_seconds_without_newest']:,}"
                 f" (at most {data['longest_wait']} s each)")
    lines.append(f"  Live Activities whose last push was not their newest: {data['overtaken_live_activities']}"
                 f" (at most {data['overtaken_by_seconds']} s later)")
    lines.append(f"  pushes more than {order.AFTERMATH:.0f} s after the end of their broadcast: {data['late_pushes']}")
    lines += _block("keys in Redis at the end", data["keys"])
    lines += ["", "faults (in seconds since 1970, as in the evidence)"]
    lines += [f"  {each['at']:.3f} to {each['until'] or each['at']:.3f}  {each['kind']}: {each['target']}"
              for each in data["faults"]]
    lines += ["", "from a fault to the end of what was under way"]
    lines += [f"  {each['kind']}: {each['broadcasts']} broadcasts, "
              + ("not all ended" if each["seconds"] is None else f"{each['seconds']} s") for each in data["takeovers"]]
    lines += ["", "invariants"]
    for rule, found in data["invariants"].items():
        lines.append(f"  {'holds   ' if not found else 'VIOLATED'}  {rule}" + (f" ({len(found)})" if found else ""))
    for rule, found in data["invariants"].items():
        for each in found[:10]:
            lines += ["", f"{rule}: {each['text']}"]
            lines += [f"    {detail}" for detail in each["details"][:_DETAILS]]
        if len(found) > 10:
            lines += ["", f"{rule}: and {len(found) - 10} more, see --json"]
    return "\n".join(lines)


def _block(title, counts):
    width = max((len(name) for name in counts), default=0)
    return ["", title] + [f"  {name:<{width}}  {count:>7,}" for name, count in counts.items()]


def write_evidence(path, evidence):
    """Everything but the ledger, for those who look into a violation."""
    names = ("activities", "calls", "syncs", "records", "start_locks", "keys")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({name: getattr(evidence, name) for name in names}, file, default=_plain)


def _plain(value):
    return sorted(value) if isinstance(value, set) else dataclasses.asdict(value)


def write(path, data):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=2)
        file.write("\n")
