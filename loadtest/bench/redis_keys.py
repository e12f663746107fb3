"""Which kinds of keys a Redis has, how many of each, how much they take and for how long they stay."""

import re
import subprocess
from dataclasses import dataclass

from .failure import BenchFailure

_HOUR = 3_600_000
#: For each key: its name, what is left of its life in ms (-1: it does not expire) and its bytes.
_SCRIPT = """
local reply = redis.call('SCAN', ARGV[1], 'COUNT', 1000)
local found = {reply[1]}
for _, key in ipairs(reply[2]) do
    found[#found + 1] = key
    found[#found + 1] = redis.call('PTTL', key)
    found[#found + 1] = redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) or 0
end
return found
"""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9A-Za-z_-]{20,}", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


@dataclass
class KeyKind:
    """The keys that have names of one form."""

    count: int = 0
    bytes: int = 0
    #: Those among them that stay for more than an hour, or for good.
    lasting: int = 0
    lasting_bytes: int = 0


def form(name):
    """A key's name with what is peculiar to it taken out: `fanfare:{ID.N}:u:N`."""
    name = re.sub(r"\{b:[0-9a-f]{16}\}", "{b:I}", re.sub(r"\{u:[^}]*\}", "{u}", name))
    return _NUMBER.sub("N", _ID.sub("I", name)).replace("I", "ID")


def kinds(socket):
    """All kinds of keys of the Redis on this unix socket, by the form of their names."""
    found, cursor = {}, "0"
    while True:
        lines = _redis(socket, "EVAL", _SCRIPT, "0", cursor).splitlines()
        cursor = lines[0]
        for name, left, size in zip(lines[1::3], lines[2::3], lines[3::3]):
            kind = found.setdefault(form(name), KeyKind())
            kind.count += 1
            kind.bytes += int(size)
            if int(left) < 0 or int(left) > _HOUR:
                kind.lasting += 1
                kind.lasting_bytes += int(size)
        if cursor == "0":
            return found


def difference(after, before, per):
    """What has come, for each of so many: `{form: {"keys": …, "bytes": …, …}}`, what takes the most first."""
    rows = {}
    for name, kind in after.items():
        then = before.get(name, KeyKind())
        row = {"keys": (kind.count - then.count) / per, "bytes": (kind.bytes - then.bytes) / per,
               "lasting_keys": (kind.lasting - then.lasting) / per,
               "lasting_bytes": (kind.lasting_bytes - then.lasting_bytes) / per}
        if row["keys"] >= 0.001 or abs(row["bytes"]) >= 1:
            rows[name] = row
    return dict(sorted(rows.items(), key=lambda each: -each[1]["bytes"]))


def used_memory(socket):
    text = _redis(socket, "INFO", "memory")
    match = re.search(r"^used_memory:(\d+)", text, re.MULTILINE)
    if match is None:
        raise BenchFailure("INFO has no used_memory")
    return int(match.group(1))


def command_counts(socket):
    """How often each command has been carried out so far, those within scripts included (INFO commandstats)."""
    return parse_command_counts(_redis(socket, "INFO", "commandstats"))


def parse_command_counts(text):
    return {name.upper(): int(calls) for name, calls in re.findall(r"^cmdstat_([^:]+):calls=(\d+)", text, re.MULTILINE)}


def _redis(socket, *arguments):
    result = subprocess.run(["redis-cli", "-s", socket, *arguments], capture_output=True, timeout=60, check=False)
    text = result.stdout.decode(errors="replace")
    if result.returncode != 0 or text.startswith("ERR"):
        raise BenchFailure(f"redis-cli {arguments[0]}: {(text + result.stderr.decode(errors='replace'))[:300]}")
    return text
