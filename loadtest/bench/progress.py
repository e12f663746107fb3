"""What is being done, on the standard error."""

import sys
import time

_begin = time.monotonic()


def say(text):
    print(f"bench {time.monotonic() - _begin:6.1f} s  {text}", file=sys.stderr, flush=True)
