"""The texts of scripts, assembled from Lua files."""
import re

from .malformed import Malformed

#: A comment, a string, a name with its dotted suffixes (`redis.call`), a number, or another character. Two dots
#: concatenate strings. Long strings and long comments are not supported.
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*)|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|"""
    r"""(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|[0-9]\w*|.""", re.S | re.A)
_CONSTANT = re.compile(r"[A-Z_]+\..*")


def piece(file, constants):
    """A file's own part of a text: locals for the keys and arguments that its code uses, and its code."""
    code, used = [], set()
    for token in _TOKEN.finditer(file.code):
        text = token[0]
        if token["comment"]:
            continue
        if token["name"]:
            used.add(text.split(".")[0])
            if _CONSTANT.fullmatch(text):
                if text not in constants:
                    raise Malformed(f"{file.name} knows {text}, which is no constant")
                text = constants[text]
        code.append(text)
    lines = [line.rstrip() for line in "".join(code).split("\n")]
    return _locals(file.keys, "KEYS", used) + _locals(file.arguments, "ARGV", used) + \
        "".join(line + "\n" for line in lines if line)


def _locals(parameters, list_, used):
    """`local a, b = KEYS[1], KEYS[2]` for the names that the code uses."""
    given = [(f"{parameter.name}_at", str(index)) if parameter.mark == "..." else
             (parameter.name, f"{list_}[{index}]") for index, parameter in enumerate(parameters, 1)]
    given = [(name, value) for name, value in given if name in used]
    if not given:
        return ""
    return f"local {', '.join(name for name, _ in given)} = {', '.join(value for _, value in given)}\n"


def order(file, files):
    """The files of a script's text: what it includes, each once and behind what that includes, and itself."""
    found = []

    def add(current):
        if current in found:
            return
        begun.add(current.name)
        for name in current.includes:
            part = files.get(name)
            if not part or part.kind != "part":
                raise Malformed(f"{current.name} includes {name}, which is no part")
            if part.name not in begun:
                add(part)
        found.append(current)

    begun = set()
    add(file)
    return found


def text(file, files, constants):
    """The whole text of a script."""
    return "".join(piece(each, constants) for each in order(file, files))


def by_name(texts):
    """The Lua files of these texts, by name."""
    from .heads import LuaFile
    files = {}
    for each in texts:
        file = LuaFile(each)
        if file.name in files:
            raise Malformed(f"two Lua files are called {file.name}")
        files[file.name] = file
    return files
