"""A football match, from a feed to lock screens.

Reads a feed of what happens in a match, a JSON object a line, and keeps a Live Activity up to date on the phones of a
stored segment: it goes up at kick-off, changes at each goal with an alert and at half-time without one, and ends with
the result. Then it says what the phones got.

    export FANFARE_URL=http://localhost:8080 FANFARE_API_KEY=ffk_…
    python match.py match.jsonl --segment ajax-fans --ends-at "$(date -u -d '+3 hours' +%FT%TZ)"

A match that is played again from its beginning after a crash does nothing twice within a day: each call has an
idempotency key that follows from the match and the line of the feed. The activity's end is part of what is registered,
so it follows from the match as well: `--ends-at`, when the match is over at the latest.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fanfare_client import DeviceNotSynced, Fanfare
from fanfare_client.replies.broadcasts import Broadcast

UPDATE_PATIENCE = 60.0
"""Seconds that the first update waits for phones to report that the Live Activity is there."""


@dataclass(frozen=True)
class Match:
    """Where a match stands. Pure: lines of the feed in, what to show out."""

    home_team: str = ""
    """The names come with the kick-off."""
    away_team: str = ""
    league: str = ""
    home: int = 0
    """Goals of the home team."""
    away: int = 0
    minute: int = 0
    phase: str = "before"
    """`before`, `first_half`, `half_time`, `second_half` or `full_time`."""

    def after(self, line: Mapping[str, object]) -> Match:
        """The match after what this line of the feed tells."""
        event, minute = line["event"], int(str(line["minute"]))
        if event == "kick_off":
            names = {key: str(line[key]) for key in ("home_team", "away_team", "league")}
            return replace(self, **names, minute=minute, phase="first_half")  # type: ignore[arg-type]
        if event == "goal":
            side = "home" if line["side"] == "home" else "away"
            return replace(self, **{side: getattr(self, side) + 1}, minute=minute)
        if event in ("half_time", "second_half", "full_time"):
            return replace(self, minute=minute, phase=str(event))
        return replace(self, minute=minute)

    @property
    def title(self) -> str:
        """The score, as a headline."""
        return f"{self.home_team} {self.home} - {self.away} {self.away_team}"

    @property
    def state(self) -> dict[str, object]:
        """What the app's `ContentState` decodes."""
        return {"home": self.home, "away": self.away, "minute": self.minute, "phase": self.phase}


def lines_of(feed: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The lines of the feed with their numbers."""
    with feed.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, json.loads(line)


def show_progress(broadcast: Broadcast) -> None:
    """What is printed while a broadcast is on its way."""
    print(f"  {broadcast.kind}: {broadcast.accepted} of {broadcast.total} accepted", flush=True)


class Coverage:
    """One match on the lock screens of a segment."""

    def __init__(self, fanfare: Fanfare, name: str, activity_type: str, segment: str, ends_at: str) -> None:
        self._fanfare = fanfare
        self._name = name
        self._type = activity_type
        made = fanfare.register(
            activity_type=activity_type,
            segment=segment,
            ends_at=ends_at,
            options={"catch_up": True},
            idempotency_key=f"{name}:register",
        )
        self.activity_id = made.activity_id
        print(f"registered {made.registered_devices} phones of {made.registered_users} users, "
              f"passed over: {dict(made.skipped)}")

    def show(self, number: int, event: object, match: Match, line: Mapping[str, object]) -> None:
        """Brings what this line of the feed tells to the phones, if it is worth it."""
        key = f"{self._name}:{number}"
        if event == "kick_off":
            content = {"title": match.title, "message": "Kick-off", "content_state": match.state}
            attributes = {"home_team": match.home_team, "away_team": match.away_team, "league": match.league}
            start = self._fanfare.start(
                activity_id=self.activity_id,
                activity_type=self._type,
                content={**content, "attributes": attributes},
                respond_async=True,
                idempotency_key=key,
            )
            self._fanfare.wait(start, on_progress=show_progress)
        elif event == "goal":
            self._update(key, {"title": match.title, "message": f"Goal by {line['player']}, minute {match.minute}"}, match)
        elif event in ("half_time", "second_half"):
            self._update(key, {}, match)
        elif event == "full_time":
            end = self._fanfare.end(
                activity_id=self.activity_id,
                activity_type=self._type,
                content={"title": match.title, "message": "Full time", "content_state": match.state},
                options={"force": True},
                idempotency_key=key,
            )
            print(f"  end: {end.sessions_triggered} accepted")

    def _update(self, key: str, alert: dict[str, str], match: Match) -> None:
        try:
            update = self._fanfare.update(
                activity_id=self.activity_id,
                activity_type=self._type,
                content={**alert, "content_state": match.state},
                wait_for_sync=UPDATE_PATIENCE,
                idempotency_key=key,
            )
        except DeviceNotSynced:
            print("  update: no phone has reported the Live Activity yet")
            return
        print(f"  update: {update.sessions_triggered} accepted, passed over: {dict(update.skipped)}")

    def report(self) -> None:
        """Says what the phones got."""
        counts: Counter[str] = Counter()
        for device in self._fanfare.devices(self.activity_id):
            counts[f"{device.state}, last push {device.last_outcome or 'none'}"] += 1
        for outcome, phones in sorted(counts.items()):
            print(f"{phones} phones: {outcome}")


def main() -> int:
    """Covers the match of the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Brings a match from a feed to lock screens.")
    parser.add_argument("feed", type=Path, help="JSON lines: what happens in the match")
    parser.add_argument("--segment", required=True, help="the stored segment that follows the match")
    parser.add_argument("--activity-type", default="MatchAttributes", help="the app's ActivityAttributes type")
    parser.add_argument("--ends-at", required=True, help="when it is over at the latest, in UTC: at most seven days from now")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between two lines of the feed")
    given = parser.parse_args()
    with Fanfare(os.environ["FANFARE_URL"], os.environ["FANFARE_API_KEY"]) as fanfare:
        coverage = Coverage(fanfare, given.feed.stem, given.activity_type, given.segment, given.ends_at)
        match = Match()
        for number, line in lines_of(given.feed):
            match = match.after(line)
            print(f"{match.minute:3}' {line['event']}  {match.title}", flush=True)
            coverage.show(number, line["event"], match, line)
            time.sleep(given.pace)
        coverage.report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
