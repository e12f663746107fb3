"""Checks the running gateway against its own description. See README.md."""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

from .stage import Stage, StageError

HERE = Path(__file__).resolve().parent.parent
REPOSITORY = HERE.parent
TOOLS = Path(sys.executable).parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="apicheck", description=__doc__)
    parser.add_argument("--binary", type=Path, default=REPOSITORY / ".build/debug/fanfare")
    parser.add_argument("--seed", type=int, help="repeats the requests of a run; chosen and said otherwise")
    parser.add_argument("--examples", type=int, default=60, help="how many requests of each kind for each operation")
    parser.add_argument("--seconds", type=int, default=600, help="after this time the run is ended, as failed")
    parser.add_argument("--only", help="the operationId of the one operation to check")
    return parser.parse_args()


def check(stage: Stage, options: argparse.Namespace, seed: int) -> int:
    location = f"{stage.url}/openapi.yaml"
    print(f"The document is OpenAPI 3.1: {location}", flush=True)
    document = stage.folder / "openapi.yaml"
    document.write_bytes(stage.fetch("/openapi.yaml"))
    valid = subprocess.run([TOOLS / "openapi-spec-validator", document], check=False)
    if valid.returncode != 0:
        return valid.returncode
    command = [
        TOOLS / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run", location,
        "--seed", str(seed), "--max-examples", str(options.examples),
    ]
    if options.only:
        command += ["--include-operation-id", options.only]
    environment = {
        **os.environ, **stage.keys, "APICHECK_SEED": str(seed), "APICHECK_URL": stage.url,
        "SCHEMATHESIS_HOOKS": "apicheck.hooks",
    }
    environment["PYTHONPATH"] = str(HERE)
    try:
        run = subprocess.run(command, env=environment, cwd=stage.folder, check=False, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        print(f"Not done after {options.seconds} seconds.", file=sys.stderr)
        return 1
    return run.returncode


def main() -> int:
    options = arguments()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    print(f"SEED={seed} repeats this run.", flush=True)
    try:
        with Stage(options.binary.resolve(), REPOSITORY) as stage:
            status = check(stage, options, seed)
            stage.stop()
    except StageError as error:
        print(f"apicheck: {error}", file=sys.stderr)
        return 1
    print("No failure." if status == 0 else f"Failed. SEED={seed} repeats this run.", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
