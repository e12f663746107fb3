"""What most tests begin with."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from fanfare_client import Fanfare
from tests.support.phones import Phones

TYPE = "MatchAttributes"

KICK_OFF = {"title": "Ajax - PSV", "message": "Kick-off", "content_state": {"home": 0, "away": 0}}


def an_hour_from_now() -> datetime:
    """A time to end at that every register takes."""
    return datetime.now(timezone.utc) + timedelta(hours=1)


def registered(fanfare: Fanfare, phones: Phones) -> str:
    """An activity of these phones, not started."""
    made = fanfare.register(activity_type=TYPE, insider_ids=phones.users, ends_at=an_hour_from_now())
    return made.activity_id


def started(fanfare: Fanfare, phones: Phones) -> str:
    """An activity of these phones, started and synced."""
    activity_id = registered(fanfare, phones)
    fanfare.start(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF)
    phones.sync_all(activity_id)
    return activity_id
