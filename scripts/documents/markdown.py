"""What is read of a Markdown document: headings, links, code."""
import re

FENCE = re.compile(r"^(```+)(\w*)\s*$")


class Document:
    """A document's parts, each with its line."""

    def __init__(self, text):
        self.lines = text.splitlines()
        #: (line, language, text)
        self.blocks = []
        #: (line, text), without code blocks
        self.prose = []
        fence, start, language, held = None, 0, "", []
        for number, line in enumerate(self.lines, 1):
            match = FENCE.match(line)
            if fence is None and match:
                fence, start, language, held = match[1], number, match[2], []
            elif fence is not None and line.strip() == fence:
                self.blocks.append((start, language, "\n".join(held) + "\n"))
                fence = None
            elif fence is not None:
                held.append(line)
            else:
                self.prose.append((number, line))

    @property
    def anchors(self):
        """What links may name, as GitHub makes it of headings."""
        found, seen = set(), {}
        for _, line in self.prose:
            if match := re.match(r"#{1,6} (.+)", line):
                slug = slug_of(match[1])
                count = seen.get(slug, 0)
                seen[slug] = count + 1
                found.add(f"{slug}-{count}" if count else slug)
        return found

    @property
    def links(self):
        """(line, target) of links and pictures."""
        for number, line in self.prose:
            for match in re.finditer(r"\]\(([^()\s]+)\)", without_code(line)):
                yield number, match[1]

    @property
    def code(self):
        """(line, text) of what stands between backticks in running text."""
        for number, line in self.prose:
            for match in re.finditer(r"`([^`]+)`", line):
                yield number, match[1]


def without_code(line):
    return re.sub(r"`[^`]*`", "", line)


def slug_of(heading):
    """The anchor of a heading."""
    text = re.sub(r"[`*_]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
