"""The constants of scripts. Their only source is Swift: this reads the declarations that `ScriptConstants.swift` names.

It understands literals, `static let` and raw values of cases, sums and products, the first elements of arrays, and the
calls that the constants use. A Swift test compares all values with those of the compiler.
"""
import ast
import functools
import operator
import re

from .malformed import Malformed

_OPENING = re.compile(
    r"\b(?:enum|struct|class|actor|extension)\s+([A-Z]\w*(?:\.[A-Z]\w*)*)[^{}();=]*\{")
_COMMENT = re.compile(r"//[^\n]*")
_NOISE = re.compile(r'//[^\n]*|"(?:\\\([^\n]*?\)"|\\.|[^"\\\n])*"')
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


class Sources:
    """The declarations in Swift files, by type."""

    def __init__(self, texts):
        self.texts = list(texts)

    @classmethod
    def of_folders(cls, *folders):
        return cls(path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.swift")))

    @functools.cache
    def bodies(self, name):
        """The declaration and the extensions of a type, each with its body. `A.B` is found inside of `A`."""
        if "." in name:
            outer, inner = name.rsplit(".", 1)
            return tuple(_bodies([body for _, body in self.bodies(outer)], inner))
        return tuple(_bodies([text for text in self.texts if name in text], name))

    @functools.cache
    def value(self, type_, member):
        """The value of a type's static property or case."""
        for opening, body in self.bodies(type_):
            own = _without_nested(body)
            if match := re.search(rf"\bstatic let {member}\b[^=\n]*=\s*", own):
                return self.evaluate(_expression(own[match.end():]), type_)
            if (case := self._case(own, member, type_, counts=": UInt8" in opening or ": Int" in opening)) is not None:
                return case
        raise Malformed(f"the sources have no {type_}.{member}")

    def _case(self, body, member, type_, counts):
        last = -1
        for match in re.finditer(r"^ *case ([a-z].*)$", body, re.M):
            for name, literal in re.findall(r"`?(\w+)`?(?: = ([^,]+))?(?:,|$)", match[1].strip()):
                raw = self.evaluate(literal, type_) if literal else last + 1 if counts else name
                if name == member:
                    return raw
                last = raw
        return None

    def evaluate(self, text, scope):
        """The value of a Swift expression in a type."""
        text = text.strip()
        if text.startswith('"'):
            return self._string(text[1:-1], scope)
        try:
            tree = ast.parse(re.sub(r"\b(rawValue): ", r"\1=", text), mode="eval").body
        except SyntaxError:
            raise Malformed(f"{scope}: '{text}' is no simple expression") from None
        return self._node(tree, text, scope)

    def _string(self, text, scope):
        return re.sub(r"\\\((\w+\((?:[^()]|\([^()]*\))*\)|[\w.]+)\)",
                      lambda match: str(self.evaluate(match[1], scope)), text)

    def _node(self, node, text, scope):
        def inner(child):
            return self._node(child, text, scope)

        match node:
            case ast.Constant(value=int() | float() | str() as value):
                return value
            case ast.List(elts=elements):
                return [inner(element) for element in elements]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](inner(left), inner(right))
            case ast.Subscript(value=list_, slice=ast.Constant(value=int() as index)):
                return inner(list_)[index]
            case ast.Attribute(value=value, attr="rawValue" | "millisecondsRoundedUp"):
                return inner(value)
            case ast.Call(func=ast.Name(), keywords=[ast.keyword(arg="rawValue", value=value)]):
                return inner(value)
            case ast.Call(func=ast.Attribute(attr="seconds"), args=[value]):
                return 1000 * inner(value)
            case ast.Call(func=ast.Name(id="byte"), args=[value]):
                return byte(inner(value))
            case ast.Call(func=ast.Name(id="text"), args=[value]):
                return str(inner(value))
            case ast.Name(id=name):
                return self.value(scope, name)
            case ast.Attribute():
                path = ast.unparse(node).split(".")
                return self.value(".".join(path[:-1]), path[-1])
        raise Malformed(f"{scope}: '{text}' is no simple expression")


def _bodies(texts, name):
    """The declarations of a type in texts: what stands before the brace, and the body."""
    for text in texts:
        plain = _blank(text, _NOISE)
        for match in _OPENING.finditer(plain):
            if match[1] == name:
                yield match[0], text[match.end():_end(plain, match.end())]


def _end(text, start):
    """The index of the brace that closes the one before `start`."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def _blank(text, pattern):
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _without_nested(body):
    """A body without comments and the contents of braces."""
    kept, depth = [], 0
    for character, shown in zip(_blank(body, _COMMENT), _blank(body, _NOISE)):
        depth += (shown == "{") - (shown == "}")
        kept.append(character if depth == 0 or character == "\n" else " ")
    return "".join(kept)


def _expression(text):
    """The expression at the beginning of a text: up to the end of the line, or of its brackets."""
    depth, quoted = 0, False
    for index, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted:
            depth += (character in "([") - (character in ")]")
            if character == "\n" and depth == 0:
                return text[:index]
    return text


def byte(value):
    """A byte in a string of Lua: always three digits, so that a digit may follow."""
    return f"\\{value:03}"


def lua(value, is_set=False):
    """A value in Lua."""
    if is_set:
        return "{" + ",".join(f"[{element}]=true" for element in value) + "}"
    if isinstance(value, list):
        return "{" + ",".join(map(str, value)) + "}"
    return f"'{value}'" if isinstance(value, str) else str(value)


def snake(name):
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def all_of(sources):
    """The constants that `ScriptConstants` declares by their names in Lua, and their names in Swift."""
    found, paths = {}, {}
    for group, type_ in _groups(sources):
        for _, body in sources.bodies(type_):
            for name, is_set in re.findall(r"^ *static let (\w+)(: Set)?", _without_nested(body), re.M):
                value = sources.value(type_, name)
                lua_name = f"{group}.{snake(name)}"
                found[lua_name] = lua(value, bool(is_set))
                paths[lua_name] = f"{group}.{name}"
                if isinstance(value, int) and value < 256:
                    found[f"{group}_BYTE.{snake(name)}"] = f"'{byte(value)}'"
    return found, paths


def _groups(sources):
    """The groups of constants, each with its type."""
    for _, body in sources.bodies("ScriptConstants"):
        for own, alias, type_ in re.findall(r"^    (?:enum ([A-Z_]+) \{|typealias ([A-Z_]+) = (\w+)$)", body, re.M):
            yield (own, f"ScriptConstants.{own}") if own else (alias, type_)
