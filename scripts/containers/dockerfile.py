"""Reads a Dockerfile: its stages and their instructions, as far as ours has them."""

import dataclasses
import json
import re
import shlex

#: Instructions that say something of the image and are carried out at no step.
SETTINGS = {"EXPOSE", "STOPSIGNAL"}
STEPS = {"RUN", "COPY"}


class Unknown(Exception):
    """An instruction that this does not know, so that nothing is passed over."""


@dataclasses.dataclass
class Stage:
    base: str
    name: str
    steps: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)
    user: str = "0:0"
    folder: str = "/"
    entrypoint: list = dataclasses.field(default_factory=list)
    command: list = dataclasses.field(default_factory=list)
    health: list = dataclasses.field(default_factory=list)


def instructions(text):
    """Pairs of a name and its argument; lines that end with a backslash go on."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if line.strip():
            name, _, argument = line.strip().partition(" ")
            yield name.upper(), argument.strip()


def stages(text):
    """The stages in their order."""
    found = []
    for name, argument in instructions(text):
        if name == "FROM":
            words = argument.split()
            found.append(Stage(words[0], words[2] if len(words) == 3 and words[1].upper() == "AS" else ""))
            continue
        stage = found[-1]
        if name in STEPS:
            stage.steps.append((name, argument))
        elif name in SETTINGS:
            stage.settings[name] = argument
        elif name == "ENV":
            stage.environment.update(word.split("=", 1) for word in shlex.split(argument))
        elif name == "USER":
            stage.user = argument
        elif name == "WORKDIR":
            stage.folder = argument
        elif name == "ENTRYPOINT":
            stage.entrypoint = json.loads(argument)
        elif name == "CMD":
            stage.command = json.loads(argument)
        elif name == "HEALTHCHECK":
            stage.health = json.loads(argument.partition(" CMD ")[2])
        else:
            raise Unknown(f"{name} {argument}")
    return found
