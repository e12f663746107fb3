"""Whether commands in documents can be typed as they stand: they parse, and what they name is there."""
import json
import re
import subprocess

SHELL = {"sh", "bash"}


class CommandLine:
    """The executable's subcommands and options, as it describes itself."""

    def __init__(self, description):
        self.root = description["command"]

    @classmethod
    def of(cls, executable):
        result = subprocess.run([executable, "--experimental-dump-help"], check=True, capture_output=True, text=True)
        return cls(json.loads(result.stdout))

    def findings(self, words):
        """What of `fanfare`'s arguments is not there."""
        command, path = self.root, "fanfare"
        options, is_value = self._options(command), False
        for word in words:
            if is_value:
                is_value = False
                continue
            below = {each["commandName"]: each for each in command.get("subcommands", [])}
            if word.startswith("--"):
                name = word.split("=")[0]
                if name not in options:
                    yield f"{path} has no {name}"
                is_value = options.get(name, False) and "=" not in word
            elif word in below:
                command, path = below[word], f"{path} {word}"
                options |= self._options(command)
            elif below and re.fullmatch(r"[a-z][a-z-]*", word):
                yield f"{path} has no command {word}"
                return

    @staticmethod
    def _options(command):
        """Whether each option is followed by a value."""
        known = {"--help": False, "--version": False, "--generate-completion-script": True}
        for argument in command.get("arguments", []):
            for name in argument.get("names") or []:
                if name["kind"] == "long":
                    known[f"--{name['name']}"] = argument["kind"] == "option"
        return known


def targets_of(makefile, checks):
    """The targets of the Makefile, with those of its rule `check-%`, which are functions of scripts/check.sh."""
    names = re.findall(r"^check_([a-z]+)\(\)", checks, re.M)
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.M)) | {f"check-{name}" for name in names}


def words_of(text):
    """The words of each `fanfare` or `make` that a command line calls."""
    text = re.sub(r"\\\n", " ", text)
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", line)
        for match in re.finditer(r"(?:^|[|&;(]\s*|[A-Z_]+=\S*\s+|<\()\s*(?:sudo |time )?(fanfare|make)\s+([^|&;)<>]*)", line):
            words = [word.strip("[],\"'") for word in match[2].split()]
            yield match[1], [word for word in words if word and word != "…"]


def findings(document, targets, command_line=None):
    """What is wrong with the commands of a document: (line, sentence)."""
    for line, language, text in document.blocks:
        if language not in SHELL:
            continue
        result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        if result.returncode:
            yield line, f"bash does not understand this: {result.stderr.strip()}"
    places = [(line, text) for line, language, text in document.blocks if language in SHELL]
    places += [(line, text) for line, text in document.code if text.startswith(("fanfare ", "make "))]
    for line, text in places:
        for program, words in words_of(text):
            if program == "make":
                for word in words[:1]:
                    if word not in targets:
                        yield line, f"there is no `make {word}`"
            elif command_line:
                for sentence in command_line.findings(words):
                    yield line, sentence
