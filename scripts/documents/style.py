"""The writing style of comments and of the changelog.

A comment starts with a noun phrase or a verb, names its subject, and has short sentences. The rules find what a tool can
find: first words, pronouns, verbs, and lengths.
"""
import re

FOLDERS = ("Sources", "Tests", "Benchmarks")
SUFFIXES = (".swift", ".lua")
LONGEST_SENTENCE, LONGEST_LINE, LONGEST_ENTRY = 25, 120, 20

_FIRST_WORDS = re.compile(
    r"(?:What|Who|How|Whether|Where|When|Which|Why|As|Of|It|Those|Likewise)\b|The same\b")
_PRONOUNS = re.compile(r"\b(?:who|what|which)ever\b|\b(?:some|no|every|any)body\b|\bthose who\b|\bsuch\b|\bso many\b", re.I)
_VERBS = re.compile(
    r"\b(?:looks? (?:at|for|up|after|into|again)|glances?|hears?|heard|tells?|told|thanks?|thanked|sees? to|seen to|"
    r"lets? go|makes? way|takes? up|taken up)\b", re.I)
_CODE = re.compile(r"`[^`]*`|https?://\S+")
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|\n")
_FIELD = re.compile(r"- (?:(?:Parameters?|Returns|Throws|Note)\b\s*\w*:|[\w.]+:)\s*")
#: Comments for tools, dividers, and what a licence asks for.
_DIRECTIVE = re.compile(r"MARK:|swift-|luacheck|sourcery|-+$")
_VERSION = re.compile(r"## ")
SECTIONS = ("Breaking", "Added", "Changed", "Fixed", "Security")


def comments(text, suffix):
    """Each comment of a file: the number of its first line, and its lines without the marks."""
    mark = re.compile(r"\s*//[/!]? ?(.*)" if suffix == ".swift" else r"\s*--(?!\[\[) ?(.*)")
    found, start, lines = [], 0, []
    for number, line in enumerate(text.splitlines() + [""], 1):
        match = mark.match(line)
        if match and not _DIRECTIVE.match(match[1]):
            start = start or number
            lines.append(match[1])
        elif start:
            found.append((start, lines))
            start, lines = 0, []
    return found


def paragraphs(start, lines):
    """The paragraphs of a comment, each with the number of its first line. Fields, blocks of code and tables end one."""
    found, text, begin, in_code = [], "", 0, False
    for number, line in enumerate(lines, start):
        if line.strip().startswith("```"):
            in_code, line = not in_code, ""
        field = _FIELD.match(line.strip())
        if not line.strip() or in_code or field or line.startswith("  ") or line.lstrip().startswith(("|", "- ")):
            if text:
                found.append((begin, text))
            text, begin = "", 0
            if not field:
                continue
            line = line.strip()[field.end():]
        if line.strip():
            begin = begin or number
            text = f"{text} {line.strip()}".strip()
    return found + ([(begin, text)] if text else [])


def findings_in(text, suffix):
    """What is wrong with the comments of a file: a line and a sentence each."""
    for start, lines in comments(text, suffix):
        for number, paragraph in paragraphs(start, lines):
            plain = _CODE.sub("code", paragraph)
            if found := _FIRST_WORDS.match(plain):
                yield number, f"a comment starts with \"{found[0]}\""
            for pattern, kind in ((_PRONOUNS, "name the subject in place of"), (_VERBS, "say what the program does in place of")):
                for found in pattern.finditer(plain):
                    yield number, f"{kind} \"{found[0]}\""
            for sentence in _END_OF_SENTENCE.split(plain):
                if (count := len(sentence.split())) > LONGEST_SENTENCE:
                    yield number, f"a sentence has {count} words; {LONGEST_SENTENCE} are the most"
        for number, line in enumerate(text.splitlines()[start - 1:start - 1 + len(lines)], start):
            if len(line) > LONGEST_LINE:
                yield number, f"a comment line has {len(line)} columns; {LONGEST_LINE} are the most"


def changelog_findings(text):
    """What is wrong with the part of the changelog that is not released yet."""
    part = text.partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    first = text[:text.find(part)].count("\n") + 1 if part else 1
    for number, line in enumerate(part.splitlines(), first):
        if line.startswith("### ") and line[4:] not in SECTIONS:
            yield number, f"\"{line[4:]}\" is no section of a changelog; take one of {', '.join(SECTIONS)}"
        elif line.startswith("- ") and (count := len(line[2:].split())) > LONGEST_ENTRY:
            yield number, f"an entry has {count} words; {LONGEST_ENTRY} are the most"
        elif line and not line.startswith(("### ", "- ")):
            yield number, "an entry is one line that starts with \"- \""


def findings(root):
    """What is wrong in all files: a sentence with its place each."""
    for file in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in SUFFIXES):
        place = file.relative_to(root).as_posix()
        yield from (f"{place}:{line}: {sentence}"
                    for line, sentence in findings_in(file.read_text(encoding="utf-8"), file.suffix))
    changelog = root / "CHANGELOG.md"
    yield from (f"CHANGELOG.md:{line}: {sentence}"
                for line, sentence in changelog_findings(changelog.read_text(encoding="utf-8")))
