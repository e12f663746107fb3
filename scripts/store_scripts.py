"""python3 store_scripts.py [--check]: writes what the store's Swift code needs of its Lua files, or checks that it is there.

The head of a Lua file names its keys, arguments and reply (see `ScriptFile`). Of a reply the head gives a type:

    -- Reply: int
    -- Reply: {state: text, changed: flag}?
    -- Reply: one of
    --   accepted = 1 {version: int}
    --   refused = 0

| type | Swift | Redis |
|---|---|---|
| flag | Bool | 1 or 0 |
| int, bytes, text | Int, [UInt8], String | an integer, a string |
| fields | [RedisField] | a flat array of names and values |
| [type] | an array | an array |
| {name: type, ...} | a struct | an array; a type with `...` takes the rest |
| type? | nil | nil |
| one of | an enum | an integer, or an array that begins with it |

Other words may stand behind the type, in parentheses or further lines. Braces may go over several lines.
"""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORE = ROOT / "Sources/Store/GatewayStore"
EMBEDDED = ROOT / "Sources/Store/CStoreScripts/scripts.c"
SIMPLE = {"flag": "Bool", "int": "Int", "bytes": "[UInt8]", "text": "String", "fields": "[RedisField]"}


class Malformed(Exception):
    pass


class Script:
    def __init__(self, path):
        self.path = path
        head = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("--"):
                break
            head.append(line[2:])
        title = re.fullmatch(r" ([a-z-]+) \((reads|writes|part)\)", head[0])
        if not title:
            raise Malformed(f"{path}: begins with '{head[0]}'")
        self.name, self.kind = title.groups()
        self.keys = parameters(head, " KEYS")
        self.arguments = parameters(head, " ARGV")
        self.reply = reply_type(head, self.name)
        self.purpose = purpose(head)

    @property
    def swift_name(self):
        return camel(self.name.replace("-", "_"))


def parameters(head, heading):
    """The parameters under a heading: name, and '', '?' or '...'."""
    if heading not in head:
        return []
    found = []
    for line in head[head.index(heading) + 1:]:
        if not line.startswith("   "):
            break
        if match := re.match(r"   ([a-z_0-9]+)(\?|\.\.\.)?", line):
            found.append((match[1], match[2] or ""))
    return found


def purpose(head):
    """The first sentence of a head's description."""
    end = next((index for index, line in enumerate(head) if line in (" KEYS", " ARGV")), len(head))
    text = " ".join(line.strip() for line in head[1:end] if line.strip())
    return re.match(r".*?[.](?= [A-Z]|$)|.*", text)[0]


def camel(name):
    """`insider_id` as Swift spells it."""
    first, *others = name.split("_")
    return first + "".join("ID" if part == "id" else "IDs" if part == "ids" else part.capitalize() for part in others)


# MARK: Types of replies

def reply_type(head, script):
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
                cases.append((camel(match[1]), int(match[2]), parse(match[3], script) if match[3] else None))
        if not cases:
            raise Malformed(f"{script}: a reply without cases")
        return ("choice", cases, False)
    found, _ = take(text, script)
    return found


def parse(text, script):
    found, rest = take(text, script)
    if rest:
        raise Malformed(f"{script}: '{rest}' behind a type")
    return found


def take(text, script):
    """A type at the beginning of a text, and the rest: (kind, parts, is optional)."""
    if text.startswith("["):
        inner, rest = take(text[1:], script)
        if not rest.startswith("]"):
            raise Malformed(f"{script}: an array without end")
        return optional("array", inner, rest[1:])
    if text.startswith("{"):
        members, rest = [], text[1:]
        while True:
            match = re.match(r"\s*([a-z_]+): ", rest)
            if not match:
                raise Malformed(f"{script}: a member without name in '{text}'")
            inner, rest = take(rest[match.end():], script)
            is_rest = rest.startswith("...")
            rest = rest[3:] if is_rest else rest
            members.append((camel(match[1]), inner, is_rest))
            if rest.startswith("}"):
                return optional("struct", members, rest[1:])
            if not rest.startswith(",") or is_rest:
                raise Malformed(f"{script}: a struct without end in '{text}'")
            rest = rest[1:]
    match = re.match(r"[a-z]+", text)
    if not match or match[0] not in SIMPLE:
        raise Malformed(f"{script}: no type '{text}'")
    return optional(match[0], None, text[match.end():])


def optional(kind, parts, rest):
    return (kind, parts, rest.startswith("?")), rest.removeprefix("?")


# MARK: Swift

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


def declarations(found, owner):
    """The lines that declare the struct or enum of a reply."""
    kind, parts, _ = found
    if kind == "array":
        return declarations(parts, owner)
    if kind == "struct":
        return struct(owner, parts)
    if kind == "choice":
        return choice(owner, parts)
    return []


def struct(name, members):
    lines = [f"    struct {name} {{"]
    lines += [f"        let {member}: {member_type(inner, is_rest)}" for member, inner, is_rest in members]
    return lines + ["", "        static func read(_ reply: RedisValue) -> Self? {",
                    "            guard let parts = reply.array else { return nil }"] + \
        read_members(members, "", "Self", 0) + ["        }", "    }", ""]


def member_type(inner, is_rest):
    return f"[{swift_type(inner, '')}]" if is_rest else swift_type(inner, "")


def read_members(members, label, call, first):
    """The lines that read members of `parts` from an index on, and return what they make."""
    lines, names = [], []
    required = sum(not is_rest for _, _, is_rest in members) + first
    lines.append(f"            guard parts.count >= {required}")
    for index, (member, inner, is_rest) in enumerate(members, first):
        source = f"ScriptReply.array({reader(inner, '')})(.array(Array(parts[{index}...])))" if is_rest \
            else f"{reader(inner, '')}(parts[{index}])"
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


def function(script):
    """The lines of a script's Swift function."""
    name, owner = script.swift_name, script.swift_name[0].upper() + script.swift_name[1:] + "Reply"
    given = []
    for key, mark in script.keys:
        given.append(f"{camel(key)}: " + {"": "String", "?": "String? = nil", "...": "[String]"}[mark])
    for argument, mark in script.arguments:
        given.append(f"{camel(argument)}: " + (
            "[any RedisArgumentConvertible]" if mark == "..." else "some RedisArgumentConvertible"))
    result = "RedisValue" if script.reply is None else swift_type(script.reply, owner)
    read = "{ $0 }" if script.reply is None else reader(script.reply, owner)
    required = ", ".join(camel(key) for key, mark in script.keys if mark == "")
    keys = [f"[{required}]"] if required else []
    keys += [f"[{camel(key)}].compactMap(\\.self)" if mark == "?" else camel(key)
             for key, mark in script.keys if mark]
    values = [camel(argument) for argument, mark in script.arguments if mark != "..."]
    tail = next((camel(argument) for argument, mark in script.arguments if mark == "..."), None)
    lines = [] if script.reply is None else declarations(script.reply, owner)
    lines.append(f"    static let {name}Script = ScriptLibrary.embedded[\"{script.name}\"]")
    lines += textwrap.wrap(script.purpose, 112, initial_indent="    /// ", subsequent_indent="    /// ")
    lines.append(f"    static func {name}(")
    lines.append("        " + ", ".join(given))
    lines.append(f"    ) -> ScriptCall<{result}> {{")
    list_ = "[" + ", ".join(values) + "]" if values else ""
    arguments = " + ".join(part for part in (list_, tail) if part) or "[]"
    lines.append(f"        ScriptCall({name}Script, {' + '.join(keys) or '[]'}, {arguments}, read: {read})")
    lines.append("    }")
    return lines


FOLDERS = sorted(path.parent.name for path in STORE.glob("*/Lua"))


def feature(folder):
    """The file of a folder's functions, as text."""
    scripts = [Script(path) for path in sorted((STORE / folder / "Lua").glob("*.lua"))]
    lines = ["// Written by scripts/store_scripts.py from the heads of the Lua files.", "import RedisClient", "",
             "extension Scripts {"]
    for script in scripts:
        if script.kind != "part":
            lines += function(script) + [""]
    text = "\n".join(lines[:-1] + ["}", ""])
    command = [os.environ.get("SWIFT", "swift"), "format", "--assume-filename", "Scripts.swift", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def embedded():
    """The C file that embeds all Lua files."""
    lines, folder = [], None
    for path in sorted(STORE.glob("*/Lua/*.lua"), key=lambda path: (path.parts[-3], path.name)):
        if folder not in (None, path.parts[-3]):
            lines.append("")
        folder = path.parts[-3]
        lines.append(f'#embed "../GatewayStore/{folder}/Lua/{path.name}" suffix(, 0,)')
    head, rest = EMBEDDED.read_text(encoding="utf-8").split("scripts[] = {\n")
    return f"{head}scripts[] = {{\n" + "\n".join(lines) + "\n};" + rest.split("\n};")[1]


def main(arguments):
    wanted = {STORE / folder / f"Scripts+{folder}.swift": feature(folder) for folder in FOLDERS}
    wanted[EMBEDDED] = embedded()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} differs from the heads of its Lua files; run: make scripts")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Malformed as error:
        sys.exit(f"store_scripts: {error}")
