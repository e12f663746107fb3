"""Whether the product's public declarations say what they promise: each has a documentation comment.

What a protocol asks for is documented with the protocol. An initialiser that takes nothing, or each property as it is,
says all by its form.
"""
import re

_PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:nonisolated\s+)?public\s+(?!import\b|extension\b)"
                     r"(?:internal\(set\)\s+|private\(set\)\s+|package\(set\)\s+)?(.*)")
_SELF_EVIDENT = re.compile(
    r"\binit\(\)|\b(?:var|let) (?:description|debugDescription|customMirror|hashValue)\b|\bstatic func (?:==|<) ?\("
    r"|\bfunc hash\(into|\bfunc encode\(to|\binit\(from decoder")
_CONFORMANCE = re.compile(r"^(?:public )?extension [\w.<>\[\]]+\s*:")
_ASSIGNMENT = re.compile(r"^\s*self\.(\w+) = \1$")


def _is_memberwise(lines, number):
    """Whether the initialiser that begins at this line does nothing but keep what it is given."""
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    begin = next((at for at in range(number - 1, len(lines)) if lines[at].rstrip().endswith("{")), None)
    if begin is None:
        return False
    for line in lines[begin + 1:]:
        if line.strip() == "}" and len(line) - len(line.lstrip()) == indent:
            return True
        if not _ASSIGNMENT.match(line):
            return False
    return False


def undocumented(text):
    """Each public declaration without a comment: its line, and what it is."""
    lines = text.splitlines()
    in_conformance = False
    for number, line in enumerate(lines, 1):
        if line[:1].strip() and line[:1] not in "/}":
            in_conformance = bool(_CONFORMANCE.match(line))
        found = _PUBLIC.match(line)
        if not found or in_conformance or _SELF_EVIDENT.search(found[1]):
            continue
        if found[1].startswith("init(") and _is_memberwise(lines, number):
            continue
        above = number - 2
        while above >= 0 and lines[above].strip().startswith("@"):
            above -= 1
        if above < 0 or not lines[above].strip().startswith("///"):
            yield number, found[1].split("{")[0].split("=")[0].strip()


def findings(root):
    """What is not documented, a sentence with its place each."""
    for file in sorted((root / "Sources").rglob("*.swift")):
        for number, what in undocumented(file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(root)}:{number}: say in a comment what is promised by: {what}"
