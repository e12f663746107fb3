"""Runs the generators on a document, and says what is wrong with what they make of it."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = Path(sys.executable).parent
#: The most models, enumerations among them, that either generator may make.
MOST_MODELS = 120
_SECONDS = 120
#: What `generator.yaml` calls the client.
PACKAGE = "fanfare_api"


class GenerationError(Exception):
    """The document is not valid, or a generator fails, warns or makes too much."""


def validate(document: Path) -> None:
    """The document is OpenAPI 3.1."""
    _run("openapi-spec-validator", document)


def client(document: Path, folder: Path) -> int:
    """Makes a client, whose package is in `folder` afterwards. Returns how many models it has."""
    said = _run(
        "openapi-python-client", "generate", "--path", document, "--config", HERE / "generator.yaml",
        "--meta", "none", "--output-path", folder / PACKAGE)
    if re.search(r"warn|error|unsupported|omitted|not be generated", said, re.IGNORECASE):
        raise GenerationError(f"openapi-python-client warns:\n{said}")
    models = [path for path in (folder / PACKAGE / "models").glob("*.py") if path.name != "__init__.py"]
    return _few("openapi-python-client", len(models))


def models(document: Path, module: Path) -> int:
    """Makes typed models in one module. Returns how many."""
    _run(
        "datamodel-codegen", "--input", document, "--input-file-type", "openapi", "--output", module,
        "--output-model-type", "pydantic_v2.BaseModel", "--collapse-root-models", "--formatters", "builtin")
    return _few("datamodel-codegen", len(re.findall(r"^class ", module.read_text(), re.MULTILINE)))


def _few(tool: str, count: int) -> int:
    if not 0 < count <= MOST_MODELS:
        raise GenerationError(f"{tool} makes {count} models; at most {MOST_MODELS} are wanted")
    return count


def _run(tool: str, *arguments) -> str:
    # The generators call formatters, which stand beside them.
    environment = os.environ | {"PATH": f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(
            [TOOLS / tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_SECONDS,
            env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise GenerationError(f"{tool} is not done after {_SECONDS} seconds") from error
    if done.returncode != 0:
        raise GenerationError(f"{tool} fails:\n{done.stdout}")
    return done.stdout
