"""Generates a Go client with openapi-generator, compiles it, and drives a life through it."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from ..generate import MOST_MODELS, GenerationError

HERE = Path(__file__).resolve().parent
_SECONDS = 300


def client(document: Path, folder: Path) -> int:
    """Makes a client and a program that uses it, both in `folder`. Returns how many models it has."""
    package = importlib.util.find_spec("openapi_generator_cli").submodule_search_locations[0]
    said = _run(
        folder, "java", "-jar", Path(package, "openapi-generator.jar"), "generate", "-g", "go", "-i", document, "-o", folder,
        "--additional-properties=packageName=fanfareapi,withGoMod=false", "--global-property",
        "models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false")
    if re.search(r"\] ERROR|Exception", said):
        raise GenerationError(f"openapi-generator fails:\n{said}")
    (folder / "go.mod").write_text("module fanfareapi\n\ngo 1.18\n")
    (folder / "life").mkdir()
    shutil.copy(HERE / "life.go", folder / "life/main.go")
    _run(folder, "go", "vet", "./life")
    _run(folder, "go", "build", "-o", folder / "lived", "./life")
    count = len(list(folder.glob("model_*.go")))
    if not 0 < count <= MOST_MODELS:
        raise GenerationError(f"openapi-generator makes {count} models; at most {MOST_MODELS} are wanted")
    return count


def live(folder: Path, url: str, api_key: str, sdk_key: str) -> int:
    """A whole life. Returns how many calls there were."""
    return int(_run(folder, folder / "lived", url, api_key, sdk_key))


def _run(folder: Path, *words) -> str:
    # The client needs the standard library alone, so nothing is fetched.
    environment = os.environ | {
        "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": str(folder / "cache"), "HOME": str(folder)}
    try:
        done = subprocess.run(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_SECONDS,
            env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise GenerationError(f"{words[0]} is not done after {_SECONDS} seconds") from error
    if done.returncode != 0:
        raise GenerationError(f"{words[0]} {words[1]} fails:\n{done.stdout}")
    return done.stdout
