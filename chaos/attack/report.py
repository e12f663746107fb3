"""What a siege came to: a table for people, and everything as JSON. Pure."""

import dataclasses

_MEGABYTE = 1 << 20
_HEADER = ("attack", "neighbour: calls, success", "p50, p99 in peace", "p50, p99 under attack", "attacker: sent, answers",
           "gateway: MB, descriptors", "Redis: MB, keys", "held")


def _milliseconds(stretch):
    return f"{stretch.p50 * 1000:.1f}, {stretch.p99 * 1000:.1f} ms"


def _number(count):
    return f"{count:,}"


def _grown(before, most, after, attribute, unit):
    """Of the gateway that has most: before, at most, after."""
    return " → ".join(_number(max(getattr(each, attribute)) // unit) for each in (before, most, after))


def row(result, is_timed):
    answers = ", ".join(f"{_number(count)} {answer}" for answer, count in result.answers.most_common(5))
    counted = [check for check in result.checks if is_timed or not check.is_timed]
    held = sum(check.is_held for check in counted)
    redis = " → ".join(f"{each.redis_bytes / _MEGABYTE:.0f}" for each in (result.before, result.peak, result.after))
    return (result.name, f"{_number(result.attacked.calls)}, {result.attacked.success:.1f} %", _milliseconds(result.peace),
            _milliseconds(result.attacked), f"{_number(result.sent)}: {answers}",
            f"{_grown(result.before, result.peak, result.after, 'resident', _MEGABYTE)};"
            f" {_grown(result.before, result.peak, result.after, 'descriptors', 1)}",
            f"{redis}; {_number(result.after.redis_keys)}", f"{held} of {len(counted)}")


def table(results, is_timed=True):
    """In Markdown."""
    rows = [_HEADER, *(row(result, is_timed) for result in results)]
    widths = [max(len(each[column]) for each in rows) for column in range(len(_HEADER))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(each, widths)) + " |" for each in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def violations(results, is_timed=True):
    """What did not hold: (attack, check)."""
    return [(result.name, check) for result in results for check in result.checks
            if not check.is_held and (is_timed or not check.is_timed)]


def record(results, **about):
    return about | {"attacks": [
        {"name": result.name, "title": result.title, "seconds": round(result.seconds, 2), "sent": result.sent,
         "answers": dict(result.answers), "processor": result.processor,
         "neighbour": {when: dataclasses.asdict(stretch) | {"success": stretch.success}
                       for when, stretch in (("peace", result.peace), ("attack", result.attacked))},
         "readings": {when: dataclasses.asdict(reading) for when, reading in (
             ("before", result.before), ("peak", result.peak), ("after", result.after))},
         "checks": [dataclasses.asdict(check) for check in result.checks]} for result in results]}
