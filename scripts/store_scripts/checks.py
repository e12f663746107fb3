"""The rules for Lua files."""
import re

from .malformed import Malformed

#: Commands that change nothing.
_READING = {
    "EXISTS", "GET", "GETBIT", "GETRANGE", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "LINDEX", "LLEN",
    "LRANGE", "PTTL", "STRLEN", "TIME", "XLEN", "XPENDING", "XRANGE", "ZCARD", "ZCOUNT", "ZRANGE", "ZRANGEBYSCORE",
    "ZSCORE",
}
_READING_VERBS = {"count", "find", "has", "read"}
#: A call, also by a local that is called `call`.
_CALL = re.compile(r"\b(?:redis\.p?call|call)\(\s*(?:'([A-Z]+)')?")


def commands(text, name):
    """The commands that a script's text calls."""
    found = _CALL.findall(text)
    if not found or "" in found:
        raise Malformed(f"{name} calls no command, or one whose name it makes up")
    return set(found)


def check(files, text_of):
    """The commands that the scripts call. Raises an error for the first file that breaks a rule.

    text_of: returns the text of a script
    """
    found = set()
    included = {name for file in files.values() for name in file.includes}
    for file in files.values():
        _check_code(file)
        if file.kind == "part":
            if file.name not in included:
                raise Malformed(f"no file includes {file.name}")
            continue
        if not file.purpose or not file.keys or file.reply is None:
            raise Malformed(f"the head of {file.name} lacks its purpose, keys or reply")
        own = commands(text_of(file), file.name)
        found |= own
        writes = bool(own - _READING)
        if file.kind != ("writes" if writes else "reads"):
            raise Malformed(f"the head of {file.name} says that it {file.kind}")
        if (file.name.split("-")[0] in _READING_VERBS) == writes:
            raise Malformed(f"the name of {file.name} does not show whether it writes")
    return found


def check_callers(scripts, sources):
    """Raises an error for a script that no Swift source calls by its function or type."""
    called = {name for text in sources for name in re.findall(r"\bScripts\.(\w+)\(", text)}
    for script in scripts:
        if not {script.swift_name, script.swift_name[0].upper() + script.swift_name[1:]} & called:
            raise Malformed(f"no Swift source calls {script.name}")


def _check_code(file):
    if position := re.search(r"(?:KEYS|ARGV)\[\d", file.code):
        raise Malformed(f"{file.name} uses {position[0]}] in place of a name")
    if number := re.search(r"\b(?:status|is|becomes|state|mark) *(?:==|~=|<|>=) *'?\d", file.code):
        raise Malformed(f"{file.name} has a number in place of a constant: {number[0]}")
