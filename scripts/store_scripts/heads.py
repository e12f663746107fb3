"""The heads of Lua files."""
import collections
import re

from . import replies
from .malformed import Malformed

#: A key or argument. `mark` is '', '?' or '...', and `group` the size of a tail's groups.
Parameter = collections.namedtuple("Parameter", "name mark group")
_TITLE = re.compile(r" ([a-z-]+) \((reads|writes|part)\)")
_PARAMETER = re.compile(r"   ([a-z_0-9]+)(?:(\?)|(\.\.\.)(?:\(([1-9][0-9]*)\))?)?(?::.*| .*)?")


class LuaFile:
    """A Lua file: what its head says, and its code."""

    def __init__(self, text):
        lines = text.splitlines(keepends=True)
        length = next((index for index, line in enumerate(lines) if not line.startswith("--")), len(lines))
        head = [line[2:].rstrip("\n") for line in lines[:length]]
        title = _TITLE.fullmatch(head[0]) if head else None
        if not title:
            raise Malformed(f"a Lua file begins with '{lines[0].rstrip() if lines else ''}'")
        self.name, self.kind = title.groups()
        self.head = head
        self.code = "".join(lines[length:])
        self.keys = _parameters(head, " KEYS", self.name)
        self.arguments = _parameters(head, " ARGV", self.name)
        self.includes = [name.strip() for line in head if line.startswith(" Includes: ")
                         for name in line.removeprefix(" Includes: ").split(",")]
        self.call = next((line.removeprefix(" Call: ") for line in head if line.startswith(" Call: ")), None)
        if self.call not in (None, "appended", "encoded", "keys once"):
            raise Malformed(f"{self.name} is called '{self.call}'")
        self.reply = replies.of_head(head, self.name)
        self.purpose = _purpose(head)

    @property
    def swift_name(self):
        return replies.camel(self.name.replace("-", "_"))

    @property
    def c_name(self):
        return self.name.replace("-", "_")


def _parameters(head, heading, script):
    """The parameters under a heading, in order. Lines with deeper indentation continue a description."""
    found = []
    if heading not in head:
        return found
    for line in head[head.index(heading) + 1:]:
        if not line.startswith("   "):
            break
        if line.startswith("    "):
            continue
        match = _PARAMETER.fullmatch(line)
        if not match:
            raise Malformed(f"{script} has a parameter '{line.strip()}'")
        name, optional, tail, group = match.groups()
        parameter = Parameter(name, optional or tail or "", int(group or 1) if tail else None)
        if found and (found[-1].mark == "..." or found[-1].mark == "?" and parameter.mark != "?"):
            raise Malformed(f"{script} has '{name}' behind '{found[-1].name}'")
        found.append(parameter)
    return found


def _purpose(head):
    """The first sentence of a head's description."""
    end = next((index for index, line in enumerate(head) if line in (" KEYS", " ARGV")), len(head))
    text = " ".join(line.strip() for line in head[1:end] if line.strip())
    return re.match(r".*?[.](?= [A-Z]|$)|.*", text)[0]
