"""Lists of users as segments are uploaded."""

import json
import random

from . import people

CSV = "text/csv"
LINES = "application/x-ndjson"
# No list at all: it is not UTF-8.
BROKEN = b"\xff\n"


def some(choice: random.Random, media_type: str) -> str:
    """A list of users, known ones and others, with what its form has to escape."""
    names = [f"user-{number}" for number in range(people.COUNT)] + people.SCENE + ['a "quoted" one', "one, two", "é", "\t"]
    ids = [choice.choice(names) for _ in range(choice.randint(1, 20))]
    if media_type == LINES:
        return "".join(json.dumps(name if index % 2 else {"insider_id": name}) + "\n" for index, name in enumerate(ids))
    quoted = ['"' + name.replace('"', '""') + '"' for name in ids]
    return "".join(line + "\r\n" for line in ["insider_id", *quoted])
