"""All checks of all documents, of what public declarations say of themselves, and of the words of both."""
from . import ROOT, commands, declarations, links, names, pictures, shown, style, words
from .markdown import Document

README_LINES, ARCHITECTURE_WORDS = 150, 3_300
#: All documents together, except records of measurements.
ALL_WORDS = 50_000
#: Where documents are, besides the root.
FOLDERS = ("docs", "apicheck", "chaos", "loadtest", "monitoring", "scripts", "config")
#: Records of what was, which may name what is no more.
RECORDS = ("CHANGELOG.md", "loadtest/results/", "chaos/results/")


def documents():
    """Every Markdown document of the project by its path."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")] + list(ROOT.glob("*.md"))
    return {path: Document(path.read_text(encoding="utf-8")) for path in sorted(paths)}


def findings(executable=None):
    """What is wrong, a sentence with its place each."""
    known = names.Names(ROOT)
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "scripts/check.sh")]
    targets = commands.targets_of(*texts)
    command_line = commands.CommandLine.of(executable) if executable else None
    for path, document in documents().items():
        place = path.relative_to(ROOT).as_posix()
        found = list(links.findings(path, document, ROOT))
        if not place.startswith(RECORDS):
            found += commands.findings(document, targets, command_line)
            found += known.findings(document, path.parent)
        if place == "docs/glossary.md":
            found += names.glossary_findings(document, known)
        if place in shown.DOCUMENTS:
            found += shown.findings(document, shown.Evidence(ROOT))
        for line, sentence in sorted(set(found)):
            yield f"{place}:{line}: {sentence}"
        if place == "README.md" and len(document.lines) > README_LINES:
            yield f"{place}: has {len(document.lines)} lines; {README_LINES} are enough"
        if place == "ARCHITECTURE.md" and (count := sum(len(line.split()) for line in document.lines)) > ARCHITECTURE_WORDS:
            yield f"{place}: has {count} words; {ARCHITECTURE_WORDS} are enough"
    pages = [path for path in ROOT.rglob("*.md") if not set(path.relative_to(ROOT).parts) & {"Tests", "results"}
             and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    if (count := sum(len(path.read_text(encoding="utf-8").split()) for path in pages)) > ALL_WORDS:
        yield f"the documents have {count} words; {ALL_WORDS} are enough"
    yield from declarations.findings(ROOT)
    yield from words.findings(ROOT)
    yield from style.findings(ROOT)
    for file in pictures.outdated(pictures.manifest()):
        yield f"{file.relative_to(ROOT)}: differs from what it is drawn from; run: make generate"
