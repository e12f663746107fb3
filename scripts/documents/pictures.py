"""The pictures under docs/diagrams, each with the text that it is drawn from."""
import json
import os
import subprocess

from . import ROOT, layers, states

FOLDER = ROOT / "docs/diagrams"


def manifest():
    """The package's manifest, as the package manager reads it."""
    # Others may hold the lock on the build folder, which is not touched.
    command = [os.environ.get("SWIFT", "swift"), "package", "--ignore-lock", "dump-package"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def drawn(package):
    """Every picture's text by its file."""
    pictures = {}
    for source in sorted(FOLDER.glob("*.states")):
        diagram = states.Diagram(source.read_text(encoding="utf-8"))
        pictures[source.with_suffix(".svg")] = diagram.svg(f"docs/diagrams/{source.name}")
    pictures[FOLDER / "layers.svg"] = layers.svg_of(package)
    return pictures


def outdated(package):
    """The files that are not as they would be drawn now."""
    pictures = drawn(package)
    wrong = [file for file, text in pictures.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    return wrong + [file for file in sorted(FOLDER.glob("*.svg")) if file not in pictures]


def draw():
    for file, text in drawn(manifest()).items():
        file.write_text(text, encoding="utf-8")
