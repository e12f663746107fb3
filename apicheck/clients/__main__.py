"""Generates clients from the document that a gateway serves, and drives whole lives through them. See README.md."""

import argparse
import importlib
import json
import sys
import tempfile
import time
from pathlib import Path

from apicheck.stage import Stage, StageError

from . import examples, generate, golang, told
from .call import LifeError
from .life import Life

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="clients", description=__doc__)
    parser.add_argument("--binary", type=Path, default=REPOSITORY / ".build/debug/fanfare")
    return parser.parse_args()


def check(stage: Stage, folder: Path) -> None:
    document = folder / "openapi.json"
    document.write_bytes(stage.fetch("/openapi.json"))
    described = json.loads(document.read_bytes())
    generate.validate(document)
    count, problems = examples.problems(described)
    if problems or not count:
        raise generate.GenerationError("\n".join(["examples are not as their schemas:", *problems]))
    print(f"A valid document: {count} examples are as their schemas", flush=True)
    count = generate.client(document, folder)
    print(f"openapi-python-client: {count} models, no warning", flush=True)
    count = generate.models(document, folder / "fanfare_models.py")
    print(f"datamodel-codegen: {count} models", flush=True)
    sys.path.insert(0, str(folder))
    typed = importlib.import_module("fanfare_models")
    life = Life(generate.PACKAGE, typed, stage.url, stage.keys["APICHECK_API_KEY"], stage.keys["APICHECK_SDK_KEY"])
    events = life.run()
    kinds = told.check(events, described, generate.PACKAGE, typed)
    print(f"A life in Python: {len(life.called)} operations, {len(events)} events of {kinds} types", flush=True)
    place = folder / "go"
    place.mkdir()
    count = golang.client(document, place)
    print(f"openapi-generator: {count} models in Go, which compile", flush=True)
    calls = golang.live(place, stage.url, stage.keys["APICHECK_API_KEY"], stage.keys["APICHECK_SDK_KEY"])
    print(f"A life in Go: {calls} calls", flush=True)


def main() -> int:
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="fanfare-clients-") as folder:
            with Stage(arguments().binary.resolve(), REPOSITORY) as stage:
                check(stage, Path(folder))
                stage.stop()
    except (StageError, LifeError, generate.GenerationError) as error:
        print(f"clients: {error}", file=sys.stderr)
        return 1
    print(f"No failure, in {time.monotonic() - started:.0f} s.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
