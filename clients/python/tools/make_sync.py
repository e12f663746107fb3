"""Makes `fanfare_client/_sync` from `fanfare_client/_async`: the same without `await`.

    python tools/make_sync.py            writes the files
    python tools/make_sync.py --check    exits with 1 when they are not what they would be
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "fanfare_client"

WORDS = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(Iterator|Client)\b", r"\1"),
    (r"\bAsyncGenerator\[(.*), None\]", r"Generator[\1, None, None]"),
    (r"\bAsyncGenerator\b", "Generator"),
    (r"\bAsync(Fanfare|Routes|Transport|UserIds)\b", r"\1"),
    (r"\bAsync(Activities|ActivityReading|Broadcasts|Events|Schedules|Segments|Topics|Users)\b", r"\1"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bcontextlib\.aclosing\b", "contextlib.closing"),
    (r"\baclose\b", "close"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\basync_pieces\b", "pieces"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio\n", ""),
    (r"for asyncio\. One instance is for one event loop, and for any number of tasks at a time\.",
     "for code without asyncio. One instance is for any number of threads at a time."),
    (r"The asynchronous client\. Its twin in `_sync` is made from it by `tools/make_sync\.py`\.",
     "The client without asyncio. It is made from `_async` by `tools/make_sync.py`: change it there."),
)


def without_await(source: str) -> str:
    """The same source for threads."""
    for pattern, replacement in WORDS:
        source = re.sub(pattern, replacement, source, flags=re.MULTILINE)
    return source


def main() -> int:
    """Writes or checks all files; returns the exit status."""
    wanted = {path.name: without_await(path.read_text()) for path in sorted((PACKAGE / "_async").glob("*.py"))}
    target = PACKAGE / "_sync"
    if "--check" in sys.argv[1:]:
        there = {path.name: path.read_text() for path in sorted(target.glob("*.py"))}
        different = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
        for name in different:
            print(f"_sync/{name} is not what tools/make_sync.py makes of _async/{name}")
        return 1 if different else 0
    target.mkdir(exist_ok=True)
    for name, source in wanted.items():
        (target / name).write_text(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
