"""Whether what a document names as shown is there: titles of tests, faults and invariants of chaos, attacks of its siege."""
import re


#: The documents, and how the heads of their tables begin.
DOCUMENTS = {"docs/internals/bad-days.md": "what happened", "docs/threat-model.md": "attack"}


class Evidence:
    def __init__(self, root):
        tests = [file.read_text(encoding="utf-8") for file in (root / "Tests").rglob("*.swift")]
        self.titles = {title for text in tests for title in re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', text)}
        chaos = [(root / "chaos/harness" / name).read_text(encoding="utf-8") for name in ("plan.py", "invariants/__init__.py")]
        self.chaos = {name for text in chaos for name in re.findall(r'^    "([a-z ]+)": ', text, re.MULTILINE)}
        attacks = [file.read_text(encoding="utf-8") for file in (root / "chaos/attack/attacks").glob("*.py")]
        self.chaos |= {name for text in attacks for name in re.findall(r'^NAME = "([a-z]+)"$', text, re.MULTILINE)}


def findings(document, evidence):
    """What stands in the last column of a table and is not there: (line, sentence)."""
    for line, text in document.prose:
        cells = text.strip().strip("|").split(" | ")
        if not text.startswith("| ") or len(cells) != 3 or cells[0].strip() in DOCUMENTS.values():
            continue
        titles = re.findall(r"\*([^*]+)\*", cells[2])
        for title in titles:
            if title not in evidence.titles:
                yield line, f"no test has the title {title}"
        names = re.findall(r'"([^"]+)"', re.sub(r"\*[^*]+\*", "", cells[2]))
        for name in names:
            if name not in evidence.chaos:
                yield line, f"chaos has neither a fault nor an invariant nor an attack {name}"
        if not titles and not names:
            yield line, "nothing shows this"
