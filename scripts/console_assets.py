"""Writes Sources/Gateway/CConsoleAssets/assets.c: the files of the console as bytes, a row for each file of its folder.

    python3 scripts/console_assets.py [--check]

With --check nothing is written; it fails when the file is not what it would be."""

import pathlib
import sys

TARGET = pathlib.Path(__file__).parent.parent / "Sources/Gateway/CConsoleAssets"
# Plots: Chart.js as Debian packages it (libjs-chart.js; MIT).
PLOTS = ("chart.js", "/usr/share/javascript/chart.js/chart.min.js")
KINDS = {".html", ".css", ".js", ".svg"}


def identifier(name):
    """A name in C for a file."""
    return "file_" + "".join(letter if letter.isalnum() else "_" for letter in name)


def text(names):
    """The C file for these files of the folder."""
    files = sorted([(name, f"assets/{name}") for name in names] + [PLOTS])
    lines = ['#include "CConsoleAssets.h"', "", '#pragma clang diagnostic ignored "-Wc23-extensions"', ""]
    lines += ["// Written by scripts/console_assets.py, a row for each file.", ""]
    for name, path in files:
        lines += [f"static const unsigned char {identifier(name)}[] = {{", f'#embed "{path}"', "};", ""]
    lines += ["#define ASSET(name, bytes) {name, bytes, sizeof bytes}", "", "static const struct console_asset assets[] = {"]
    lines += [f'    ASSET("{name}", {identifier(name)}),' for name, _ in files]
    lines += ["};", "", "size_t console_asset_count(void) { return sizeof assets / sizeof *assets; }", ""]
    lines += ["struct console_asset console_asset(size_t index) {", "  static const struct console_asset none;"]
    lines += ["  return index < console_asset_count() ? assets[index] : none;", "}", ""]
    return "\n".join(lines)


def expected():
    """What assets.c should be now."""
    names = [path.name for path in (TARGET / "assets").iterdir()]
    strangers = [name for name in names if pathlib.Path(name).suffix not in KINDS]
    if strangers:
        raise SystemExit(f"{TARGET}/assets: what type have {', '.join(sorted(strangers))}? There is {', '.join(sorted(KINDS))}")
    return text(names)


def main():
    source = TARGET / "assets.c"
    if "--check" in sys.argv[1:]:
        if source.read_text() != expected():
            raise SystemExit(f"{source} does not have the files of its folder: run python3 scripts/console_assets.py")
        return
    source.write_text(expected())


if __name__ == "__main__":
    main()
