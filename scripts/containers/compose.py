"""The services of packaging/docker/compose.yaml as Compose itself understands them."""

import json
import subprocess


def services(program, file):
    """By name, in the order in which they are started."""
    done = subprocess.run([program, "-f", file, "config", "--format", "json"], text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)["services"]
    order = []
    while len(order) < len(found):
        ready = [name for name, service in found.items()
                 if name not in order and set(service.get("depends_on", {})) <= set(order)]
        if not ready:
            raise SystemExit(f"services wait for each other: {sorted(set(found) - set(order))}")
        order += sorted(ready)
    return {name: found[name] for name in order}


def is_ours(service):
    """Whether its image is the one that is built here."""
    return service["image"] == "fanfare"


def words(service, stage):
    """What is run: Compose's words in place of the image's, where that is ours. Others run what they are told."""
    entrypoint = service.get("entrypoint") or (stage.entrypoint if is_ours(service) else [])
    command = service.get("command") or ([] if service.get("entrypoint") else stage.command)
    # What Compose prints is written for it to read again.
    return [word.replace("$$", "$") for word in entrypoint + command]


def health(service, stage):
    test = service.get("healthcheck", {}).get("test")
    return test[1:] if test else stage.health


def seconds(text):
    """Of a length of time such as `40s`."""
    if not text.endswith("s") or not text[:-1].isdigit():
        raise SystemExit(f"{text} is no number of seconds")
    return int(text[:-1])
