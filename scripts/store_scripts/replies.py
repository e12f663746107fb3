"""The types of replies, and the Swift code that reads them."""
import re

from .malformed import Malformed

SIMPLE = {"flag": "Bool", "int": "Int", "bytes": "[UInt8]", "text": "String", "fields": "[RedisField]"}


def camel(name):
    """`insider_id` as Swift spells it."""
    first, *others = name.split("_")
    return first + "".join("ID" if part == "id" else "IDs" if part == "ids" else part.capitalize() for part in others)


def of_head(head, script):
    """The type of a script's reply; None if the head describes it in other words."""
    start = next((index for index, line in enumerate(head) if line.startswith(" Reply: ")), None)
    if start is None:
        return None
    text = head[start][len(" Reply: "):]
    for line in head[start + 1:]:
        if text.count("{") == text.count("}"):
            break
        text += " " + line.strip()
    if text == "one of":
        cases, begun = [], ""
        for line in head[start + 1:]:
            if not line.startswith("   "):
                break
            line = f"{begun} {line.strip()}" if begun else line
            begun = line if line.count("{") > line.count("}") else ""
            if match := re.match(r"   ([a-z_]+) = (-?\d+)(?: (\{.*?\}))?(?:: .*)?$", line):
                cases.append((camel(match[1]), int(match[2]), _parse(match[3], script) if match[3] else None))
        if not cases:
            raise Malformed(f"{script}: a reply without cases")
        return ("choice", cases, False)
    found, _ = _take(text, script)
    return found


def _parse(text, script):
    found, rest = _take(text, script)
    if rest:
        raise Malformed(f"{script}: '{rest}' behind a type")
    return found


def _take(text, script):
    """A type at the beginning of a text, and the rest: (kind, parts, is optional)."""
    if text.startswith("["):
        inner, rest = _take(text[1:], script)
        if not rest.startswith("]"):
            raise Malformed(f"{script}: an array without end")
        return _optional("array", inner, rest[1:])
    if text.startswith("{"):
        members, rest = [], text[1:]
        while True:
            match = re.match(r"\s*([a-z_]+): ", rest)
            if not match:
                raise Malformed(f"{script}: a member without name in '{text}'")
            inner, rest = _take(rest[match.end():], script)
            is_rest = rest.startswith("...")
            rest = rest[3:] if is_rest else rest
            members.append((camel(match[1]), inner, is_rest))
            if rest.startswith("}"):
                return _optional("struct", members, rest[1:])
            if not rest.startswith(",") or is_rest:
                raise Malformed(f"{script}: a struct without end in '{text}'")
            rest = rest[1:]
    match = re.match(r"[a-z]+", text)
    if not match or match[0] not in SIMPLE:
        raise Malformed(f"{script}: no type '{text}'")
    return _optional(match[0], None, text[match.end():])


def _optional(kind, parts, rest):
    return (kind, parts, rest.startswith("?")), rest.removeprefix("?")


def swift_type(found, owner):
    """The Swift type of a reply. `owner` names its struct or enum."""
    kind, parts, is_optional = found
    if kind == "array":
        name = f"[{swift_type(parts, owner)}]"
    else:
        name = SIMPLE.get(kind, owner)
    return name + "?" * is_optional


def reader(found, owner):
    """The Swift expression that reads a reply."""
    kind, parts, is_optional = found
    if kind == "array":
        text = f"ScriptReply.array({reader(parts, owner)})"
    elif kind in SIMPLE:
        text = f"ScriptReply.{kind}"
    else:
        text = f"{owner}.read"
    return f"ScriptReply.optional({text})" if is_optional else text


def declarations(found, owner, source="RedisValue"):
    """The lines that declare the struct or enum of a reply. `source` is the type of which it is read."""
    kind, parts, _ = found
    if kind == "array":
        return declarations(parts, owner)
    if kind == "struct":
        return struct(owner, parts, source)
    if kind == "choice":
        return choice(owner, parts)
    return []


def struct(name, members, source):
    lines = [f"    struct {name} {{"]
    lines += [f"        let {member}: {member_type(inner, is_rest)}" for member, inner, is_rest in members]
    return lines + ["", f"        static func read(_ reply: {source}) -> Self? {{",
                    "            guard let parts = reply.array else { return nil }"] + \
        read_members(members, "", "Self", 0) + ["        }", "    }", ""]


def member_type(inner, is_rest):
    return f"[{swift_type(inner, '')}]" if is_rest else swift_type(inner, "")


def read_members(members, label, call, first):
    """The lines that read members of `parts` from an index on, and return what they make."""
    lines, names = [], []
    required = next((index for index in range(len(members), 0, -1) if not (
        members[index - 1][2] or members[index - 1][1][2])), 0) + first
    lines.append(f"            guard parts.count >= {required}")
    for index, (member, inner, is_rest) in enumerate(members, first):
        source = f"ScriptReply.array({reader(inner, '')})(.array(Array(parts[{index}...])))" if is_rest \
            else f"{reader(inner, '')}(parts[{index}])" if index < required \
            else f"ScriptReply.last(parts, {index}, {reader((*inner[:2], False), '')})"
        lines[-1] += ","
        lines.append(f"                let {member} = {source}")
        names.append(f"{member}: {member}")
    return lines + ["            else { return nil }", f"            return {call}({', '.join(names)})"]


def choice(name, cases):
    lines = [f"    enum {name} {{"]
    for case, _, members in cases:
        values = "" if members is None else \
            "(" + ", ".join(f"{member}: {member_type(inner, is_rest)}" for member, inner, is_rest in members[1]) + ")"
        lines.append(f"        case {case}{values}")
    lines += ["", "        static func read(_ reply: RedisValue) -> Self? {",
              "            let parts = reply.array ?? [reply]", "            switch parts.first?.int {"]
    for case, code, members in cases:
        if members is None:
            lines.append(f"            case {code}: return .{case}")
            continue
        lines.append(f"            case {code}:")
        lines += ["    " + line for line in read_members(members[1], "", f".{case}", 1)]
    return lines + ["            default: return nil", "            }", "        }", "    }", ""]
