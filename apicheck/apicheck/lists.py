"""Lists of users as segments are uploaded."""

import json

from hypothesis import strategies as st

from . import people

IDS = st.lists(
    st.one_of(
        st.sampled_from([people.insider_id(number) for number in range(people.COUNT)] + people.SCENE),
        st.text(st.characters(exclude_characters="\x00", codec="utf-8"), min_size=1, max_size=60),
    ),
    max_size=20,
)


def as_csv(ids: list[str]) -> bytes:
    quoted = ['"' + name.replace('"', '""') + '"' for name in ids]
    return "".join(line + "\r\n" for line in ["insider_id", *quoted]).encode()


def as_lines(ids: list[str]) -> bytes:
    lines = [json.dumps(name if index % 2 else {"insider_id": name}) for index, name in enumerate(ids)]
    return "".join(line + "\n" for line in lines).encode() or b"\n"


CSV = IDS.map(as_csv)
LINES = IDS.map(as_lines)
