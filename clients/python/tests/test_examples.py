"""The examples, as they are shipped, run on a gateway with phones that answer; all at once, as each mostly waits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from fanfare_client import Fanfare
from tests.support.activity import TYPE, an_hour_from_now
from tests.support.phones import Phones
from tests.support.processes import eventually
from tests.support.stack import Stack, Tenant

EXAMPLES = Path(__file__).parent.parent / "examples"
LIVES = {"python": [sys.executable, "life.py"], "curl": ["sh", "life.sh"]}


@dataclass(frozen=True)
class Play:
    """An example, and what came of it."""

    tenant: Tenant
    phones: Phones
    command: Sequence[str]
    lines: list[str]
    """What it has printed."""


def run(stack: Stack, tenant: Tenant, command: Sequence[str]) -> list[str]:
    """What an example prints. Fails with its errors when it fails."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(EXAMPLES.parent / "src"),
        "FANFARE_URL": stack.url,
        "FANFARE_API_KEY": tenant.api_key,
    }
    done = subprocess.run(command, env=environment, cwd=EXAMPLES, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert tenant.api_key not in done.stdout + done.stderr
    return done.stdout.splitlines()


def play_life(stack: Stack, tenant: Tenant, command: list[str]) -> Play:
    """A short life on two phones."""
    phones = Phones(stack, tenant, 2)
    with phones.answering(TYPE):
        lines = run(stack, tenant, [*command, TYPE, *phones.users])
        once = dict.fromkeys(phones.update_tokens, 1)
        eventually("both are ended", lambda: stack.pushes_of("end", phones.update_tokens) == once)
    return Play(tenant, phones, command, lines)


def play_match(stack: Stack, tenant: Tenant) -> Play:
    """The match on three phones, with some time between two lines of its feed."""
    phones = Phones(stack, tenant, 3)
    with Fanfare(stack.url, tenant.api_key) as fanfare:
        fanfare.put_segment("ajax-fans", phones.users)
    ends_at = an_hour_from_now().isoformat()
    command = [sys.executable, "match.py", "match.jsonl", "--segment", "ajax-fans", "--ends-at", ends_at]
    with phones.answering(TYPE):
        return Play(tenant, phones, command, run(stack, tenant, [*command, "--pace", "0.3"]))


@pytest.fixture(scope="module")
def plays(stack: Stack) -> dict[str, Play]:
    stack.script({})
    with ThreadPoolExecutor() as threads:
        futures = {name: threads.submit(play_life, stack, stack.tenant(), command) for name, command in LIVES.items()}
        futures["match"] = threads.submit(play_match, stack, stack.tenant())
        return {name: future.result(120) for name, future in futures.items()}


@pytest.mark.parametrize("name", LIVES)
def test_the_short_life(stack: Stack, plays: dict[str, Play], name: str) -> None:
    play = plays[name]
    assert play.lines[1] == "started on 2" and play.lines[-1].startswith("ended")
    assert play.lines[2].startswith(("updated 1", "updated 2"))
    tokens = play.phones.start_tokens
    assert stack.pushes_of("start", tokens) == dict.fromkeys(tokens, 1)


def test_a_match_from_its_feed_to_lock_screens(stack: Stack, plays: dict[str, Play]) -> None:
    play = plays["match"]
    starts, updates = play.phones.start_tokens, play.phones.update_tokens
    assert play.lines[0] == "registered 3 phones of 3 users, passed over: {}"
    assert play.lines[-1] == "3 phones: ended, last push accepted"
    assert stack.pushes_of("start", starts) == dict.fromkeys(starts, 1)
    assert stack.pushes_of("end", updates) == dict.fromkeys(updates, 1)
    pushes = [push for push in stack.pushes() if push.token in updates]
    states = [(push.token, json.loads(push.payload)["aps"]["content-state"]) for push in pushes]
    result = {"home": 2, "away": 1, "minute": 90, "phase": "full_time"}
    assert dict(states) == dict.fromkeys(updates, result), "the last that each phone was shown"
    assert {(1, 0), (1, 1), (2, 1)} <= {(state["home"], state["away"]) for _, state in states}


def test_a_match_that_is_played_again_does_nothing_twice(stack: Stack, plays: dict[str, Play]) -> None:
    play = plays["match"]
    before = len(stack.pushes())
    again = run(stack, play.tenant, play.command)
    assert (again[0], again[-1]) == (play.lines[0], play.lines[-1])
    assert len(stack.pushes()) == before


def test_the_first_broadcast_of_the_readme(stack: Stack, tenant: Tenant) -> None:
    text = (EXAMPLES.parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 6
    for block in blocks:
        compile(block, "README.md", "exec")
    phones = Phones(stack, tenant, ["ann", "bob"])
    assert run(stack, tenant, [sys.executable, "-c", blocks[0]])[-1].startswith("2 phones show it")
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)
