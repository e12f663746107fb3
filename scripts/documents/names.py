"""Whether what documents name between backticks is there: keys of the configuration, metrics, codes, paths, types."""
import re

FILES = r"\.(md|yaml|svg|states|py|sh|txt)$"
#: Words that look like types of ours and are not.
OTHERS = {"ActivityAttributes", "OrderAttributes", "LoadTestAttributes", "SwiftNIO", "GitHub"}


class Names:
    def __init__(self, root):
        self.root = root
        read = lambda path: (root / path).read_text(encoding="utf-8")  # noqa: E731
        self.keys = keys_of(read("config/fanfare.yaml"))
        self.sections = {key.split(".")[0] for key in self.keys}
        self.metrics = set(re.findall(r"`((?:fanfare|process)_[a-z0-9_]+)`", read("docs/metrics.md")))
        self.api = read("docs/openapi.yaml")
        self.codes = set(re.findall(r'case \w+ = "([A-Z0-9_]+)"', read("Sources/Gateway/GatewayAPI/HTTP/APIError.swift")))
        sources = [file for folder in ("Sources", "Tests", "Benchmarks") for file in (root / folder).rglob("*.swift")]
        self.files = {file.stem for file in sources} | {file.parent.name for file in sources}
        self.words = set(re.findall(r"alert: (\w+)", read("monitoring/fanfare.rules.yaml")))
        # Schemas of the API are named as types are.
        self.words.update(re.findall(r"^    ([A-Z]\w+):$", self.api, re.MULTILINE))
        for file in sources:
            self.words.update(re.findall(r"\w+", file.read_text(encoding="utf-8")))

    def knows(self, name):
        """Whether the code has this name: of a type, a member, a file or a target."""
        name = name.removesuffix(".swift")
        return name in self.files or all(part in self.words or part in self.files for part in re.split(r"[.+]", name))

    def findings(self, document, folder):
        """What a document in this folder names that is not there: (line, sentence)."""
        for line, text in document.code:
            if sentence := self.finding(text, folder):
                yield line, sentence

    def finding(self, text, folder):
        if re.fullmatch(r"[a-z_]+\.[a-z_.]+[a-z]", text) and text.split(".")[0] in self.sections:
            # Types of events are written alike.
            if text not in self.keys and text not in self.api and not re.search(FILES, text):
                return f"the configuration has no {text}"
        elif match := re.fullmatch(r"(FANFARE_(?!LOADTEST|TEST)[A-Z_]+)(=.*)?", text):
            if match[1] not in {"FANFARE_" + key.upper().replace(".", "_") for key in self.keys}:
                return f"the configuration has no {match[1]}"
        elif re.fullmatch(r"(fanfare|process)_[a-z0-9_]+[a-z0-9]", text):
            if text not in self.metrics:
                return f"docs/metrics.md has no {text}"
        elif match := re.fullmatch(r"(?:\d{3} )?([A-Z]{3,}_[A-Z_]+)", text):
            if match[1] not in self.codes and match[1] not in self.words and match[1] not in self.api:
                return f"the API has no code {match[1]}"
        elif match := re.match(r"(?:[A-Z]+(?:, )?)* ?(/api/v1/[a-z0-9/_{}-]*[a-z0-9}])", text):
            if match[1] not in self.api:
                return f"docs/openapi.yaml has no {match[1]}"
        elif re.fullmatch(r"(Sources|Tests|Benchmarks|docs|scripts|config|monitoring|loadtest|chaos|apicheck)/[\w./+-]+", text):
            if not (self.root / text).exists() and not (folder / text).exists():
                return f"there is no {text}"
        elif re.fullmatch(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+(?:[.+]\w+)*", text) and text not in OTHERS:
            if not self.knows(text):
                return f"the code has no {text}"
        return None


def keys_of(yaml):
    """The keys of the example configuration, those that are commented out among them."""
    keys, section = set(), None
    for line in yaml.splitlines():
        if match := re.match(r"([a-z_]+):\s*$", line):
            section = match[1]
            keys.add(section)
        elif match := re.match(r"\s+#?([a-z_]+):", line):
            keys.add(f"{section}.{match[1]}")
    return keys


def glossary_findings(document, names):
    """Names in the last column of the glossary that the code has not."""
    for line, text in document.prose:
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if text.startswith("|") and len(cells) == 3:
            for name in re.findall(r"`([^`]+)`", cells[2]):
                if not names.knows(name):
                    yield line, f"the code has no {name}"
