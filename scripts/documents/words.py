"""Whether names and sentences keep to the glossary: what it gives up for another word is written nowhere."""
import re

HEADLINE = "## Words that are not used"
FOLDERS = ("Sources", "Tests", "Benchmarks", "chaos", "apicheck", "loadtest", "scripts")
SUFFIXES = (".swift", ".lua", ".py", ".md")
#: What was written at its time, and texts of others.
OTHERS = ("CHANGELOG.md", "loadtest/results/", "chaos/results/", "Tests/LiveActivityTests/Resources/", "docs/glossary.md")
#: Names that the contract has given.
GIVEN = re.compile("too_many_cards(?![a-z_])")


def given_up(glossary):
    """The words that are not used, each with what is said in its place."""
    words = {}
    for line in glossary.partition(HEADLINE)[2].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 2 and cells[0] != "not" and not set(cells[0]) <= {"-"}:
            words.update({word.strip(): cells[1] for word in cells[0].split(",")})
    return words


def pattern_of(word):
    """By itself, in the plural, and as a part of a name. One that begins with a capital is meant within names alone.
    Behind a colon it is a part of a key in Redis."""
    if re.search("[a-z][A-Z]", word):
        return re.compile(rf"{word}s?(?![a-z])")
    capital = word[0].upper() + word[1:]
    within = rf"(?<=[a-z0-9_]){capital}s?(?![a-z])"
    return re.compile(within if word == capital else rf"{within}|(?<![A-Za-z:])[{capital[0]}{word[0]}]{word[1:]}s?(?![a-z])")


def findings_in(text, words):
    """Each place with such a word: its line, and a sentence."""
    text = GIVEN.sub("", text)
    for word, instead in words.items():
        for found in pattern_of(word).finditer(text):
            yield text.count("\n", 0, found.start()) + 1, f"{found[0]}: say {instead}"


def findings(root):
    """The same for all sources and documents, a sentence with its place each."""
    words = given_up((root / "docs/glossary.md").read_text(encoding="utf-8"))
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*")] + [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    for file in sorted(files):
        place = file.relative_to(root).as_posix()
        if file.suffix not in SUFFIXES or place.startswith(OTHERS):
            continue
        for line, sentence in findings_in(place, words):
            yield f"{place}: its name has {sentence}"
        for line, sentence in findings_in(file.read_text(encoding="utf-8"), words):
            yield f"{place}:{line}: {sentence}"
