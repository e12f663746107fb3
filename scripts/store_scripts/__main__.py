import os
import pathlib
import subprocess
import sys

from . import checks, constants, embedded, rights, swift, texts
from .malformed import Malformed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORE = ROOT / "Sources/Store/GatewayStore"
EMBEDDED = ROOT / "Sources/Store/CStoreScripts"
PACKAGE = ROOT / "Package.swift"
VALUES = ROOT / "Tests/GatewayStoreTests/Scripts/ScriptConstantValues.swift"


def formatted(text):
    command = [os.environ.get("SWIFT", "swift"), "format", "--assume-filename", "Scripts.swift", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def wanted():
    """The contents of all files that are written."""
    paths = sorted(STORE.glob("*/Lua/*.lua"))
    files = texts.by_name(path.read_text(encoding="utf-8") for path in paths)
    for path in paths:
        if path.stem not in files:
            raise Malformed(f"{path.relative_to(ROOT)} has the name of another file in its head")
    sources = constants.Sources.of_folders(ROOT / "Sources/Core", ROOT / "Sources/Store")
    values, names = constants.all_of(sources)
    scripts = [file for file in files.values() if file.kind != "part"]
    checks.check_callers(scripts, sources.texts)
    commands = checks.check(files, lambda script: texts.text(script, files, values))
    found = {
        EMBEDDED / "scripts.c": embedded.source(scripts, files, values),
        EMBEDDED / "include/CStoreScripts.h": embedded.header(scripts),
        STORE / "Scripts/ScriptList.swift": formatted(swift.all_of(scripts, rights.calls(commands))),
        VALUES: formatted(swift.constant_values(values, names)),
    }
    folders = sorted({path.parent.parent for path in paths})
    found[PACKAGE] = swift.with_features(PACKAGE.read_text(encoding="utf-8"), [folder.name for folder in folders])
    for folder in folders:
        own = [files[path.stem] for path in paths if path.parent.parent == folder]
        own = [script for script in own if script.kind != "part"]
        if own:
            found[folder / f"Scripts+{folder.name}.swift"] = formatted(swift.feature(own))
    return found


def main(arguments):
    stale = {path: text for path, text in wanted().items()
             if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        if arguments == ["--check"]:
            print(f"{path.relative_to(ROOT)} differs from what the Lua files say; run: make generate")
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if arguments == ["--check"] and stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Malformed as error:
        sys.exit(f"store_scripts: {error}")
