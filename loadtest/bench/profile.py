"""Groups perf's samples by whose code was running."""

import re
from dataclasses import dataclass

from .failure import BenchFailure

#: In the order of the table.
KINDS = {
    "kernel": "kernel",
    "nio": "SwiftNIO and Hummingbird",
    "redis": "Redis client and hiredis",
    "http2": "TLS, HTTP/2 and push client",
    "json": "JSON",
    "log": "log",
    "store": "store: records, scripts' arguments and replies",
    "api": "API: rules, handlers, replies",
    "broadcast": "broadcasts: jobs, targets, outcomes",
    "other": "what is left",
}
#: By the first that matches: a symbol as Swift mangles it, with its module's name and the length of that before it, or C's.
_SYMBOLS = [
    ("json", r"JSON"),
    ("log", r"7Logging|LogHandler|LogWriter|LogStream"),
    ("nio", r"\$s\d+NIO|c_nio_|CNIO|\$s\d+_NIO|\d+NIO(Core|Posix|HTTP)|11Hummingbird|15HummingbirdCore|9HTTPTypes"),
    ("redis", r"11RedisClient|7Reactor|redis"),
    ("http2", r"9HTTP2Core|3TLS|10PushClient|4APNs|8APNsCore|8PoolCore|10Connecting|nghttp2"),
    ("store", r"12GatewayStore"),
    ("api", r"10GatewayAPI"),
    ("broadcast", r"10Broadcasts|13BroadcastCore|8Delivery|10HealthCore"),
]
_COMPILED = [(kind, re.compile(pattern)) for kind, pattern in _SYMBOLS]
_LIBRARIES = {"libhiredis": "redis", "libssl": "http2", "libcrypto": "http2", "libnghttp2": "http2"}
#: Whose time is that of whoever called.
_RUNTIME = re.compile(r"libswift|libc\.so|libc-|ld-linux|libdispatch|libstdc|libgcc|libBlocks|libFoundation|lib_Foundation")


@dataclass
class Share:
    """Parts of all samples."""

    total: float = 0.0
    #: Of it, in the runtime of Swift and in the C library: counts of references, memory, copies.
    runtime: float = 0.0


def kind_of(symbol, library):
    """None: it is the runtime's, or unknown, and the caller is asked."""
    if "[kernel" in library or library in ("[vdso]", "[unknown]") and symbol.startswith("entry_"):
        return "kernel"
    for name, kind in _LIBRARIES.items():
        if name in library:
            return kind
    if _RUNTIME.search(library):
        return None
    for kind, pattern in _COMPILED:
        if pattern.search(symbol):
            return kind
    return None


def shares(lines):
    """From the lines of `perf script -F comm,ip,sym,dso`, what stands uppermost first."""
    found = {kind: Share() for kind in KINDS}
    count = 0
    for stack in _stacks(lines):
        count += 1
        is_runtime = bool(_RUNTIME.search(stack[0][1]))
        kind = next((each for each in (kind_of(*frame) for frame in stack) if each is not None), "other")
        found[kind].total += 1
        if is_runtime:
            found[kind].runtime += 1
    if not count:
        raise BenchFailure("perf has no samples")
    return {kind: Share(each.total / count, each.runtime / count) for kind, each in found.items()}


def _stacks(lines):
    stack = []
    for line in lines:
        match = re.match(r"^\s+[0-9a-f]+ (.*) \((.*)\)$", line)
        if match:
            stack.append(match.groups())
        elif stack:
            yield stack
            stack = []
    if stack:
        yield stack


def table(found, microseconds):
    """For people: what a call has of each."""
    rows = [("", "µs", "%", "of it counts, memory, copies")]
    rows += [(KINDS[kind], f"{each.total * microseconds:.1f}", f"{each.total * 100:.1f}",
              f"{each.runtime * microseconds:.1f}") for kind, each in found.items()]
    rows.append(("all", f"{microseconds:.1f}", "100.0",
                 f"{sum(each.runtime for each in found.values()) * microseconds:.1f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        row[0].ljust(widths[0]) + "  " + "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
        for row in rows)
