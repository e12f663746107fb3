"""What is being done, on the standard error."""

import sys
import threading
import time

_begin = time.monotonic()
_lock = threading.Lock()


def say(text):
    with _lock:
        print(f"chaos {time.monotonic() - _begin:6.1f} s  {text}", file=sys.stderr, flush=True)
