"""One short life of a Live Activity: registered, started, updated, ended.

    export FANFARE_URL=http://localhost:8080 FANFARE_API_KEY=ffk_…
    python life.py MatchAttributes ann bob
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta, timezone

from fanfare_client import Fanfare


def main(activity_type: str, users: list[str]) -> None:
    """Plays the life on the phones of these users. Raises FanfareError for what goes wrong."""
    ends_at = datetime.now(timezone.utc) + timedelta(hours=2)
    with Fanfare(os.environ["FANFARE_URL"], os.environ["FANFARE_API_KEY"]) as fanfare:
        activity = fanfare.register(activity_type=activity_type, insider_ids=users, ends_at=ends_at)
        activity_id = activity.activity_id
        print(f"registered {activity.registered_devices} devices, passed over: {dict(activity.skipped)}")

        content = {"title": "Ajax - PSV", "message": "Kick-off", "content_state": {"home": 0, "away": 0}}
        start = fanfare.start(activity_id=activity_id, activity_type=activity_type, content=content)
        print(f"started on {start.sessions_triggered}")

        # Phones report within seconds that the Live Activity is there; until one has, there is nobody to update.
        goal = {"content_state": {"home": 1, "away": 0}}
        update = fanfare.update(activity_id=activity_id, activity_type=activity_type, content=goal, wait_for_sync=60)
        print(f"updated {update.sessions_triggered}, passed over: {dict(update.skipped)}")

        end = fanfare.end(activity_id=activity_id, activity_type=activity_type, content=goal)
        print(f"ended {end.sessions_triggered}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
