"""The engine alone: Fanfare's push client without store and gateway, against h2load."""

import json

from . import bare_tls, h2load
from .alternation import alternately
from .failure import BenchFailure
from .figure import Figure
from .progress import say
from .provider import FCMProvider, Provider
from .samples import Samples, ratios
from .workplace import Workplace


#: Enough to keep one core busy on loopback; more only spread what is in its caches, for both.
CONNECTIONS = 2
#: Of an FCM message: `content_state` alone, and the whole request's body.
STATE_BYTES = 100
MESSAGE_BYTES = 500


def measure(binaries, plan):
    with Workplace(binaries) as place:
        provider = Provider(place)
        yield _against_h2load(place, provider, "engine_400", 400, plan.pushes, plan.rounds, target=0.20, aim=0.10)
        yield _against_h2load(place, provider, "engine_4000", 4000, plan.large_pushes, plan.rounds, target=0.45)
        yield _messages(place, provider, FCMProvider(place), plan.large_pushes, plan.rounds)


def _against_h2load(place, provider, key, size, pushes, rounds, target, aim=None):
    say(f"engine and h2load, {size:,} bytes, {rounds} times {pushes:,} pushes each")
    yardstick = h2load.Yardstick(place, provider, payload(size), CONNECTIONS)
    start = Samples(_engine(place, provider, size, CONNECTIONS) for _ in range(3)).median
    ours, theirs = alternately(
        rounds,
        lambda: (_engine(place, provider, size, pushes) - start) / (pushes - CONNECTIONS),
        lambda: yardstick.push(pushes))
    floor = Samples(bare_tls.cost(place, size, pushes) / pushes for _ in range(3))
    return Figure(
        key, f"engine: CPU per push of {size:,} bytes, h2load = 1", ratios(ours, theirs), target, aim=aim,
        notes=[f"Engine {ours.median * 1e6:.2f} µs a push, h2load {theirs.median * 1e6:.2f} µs. The bytes of the payload"
               f" alone, through OpenSSL to a socket and without HTTP/2: {floor.median * 1e6:.2f} µs,"
               f" {floor.median / theirs.median:.2f} of h2load."],
        details={"pushes": pushes, "connections": CONNECTIONS, "streams": h2load.STREAMS,
                 "bare_tls_us": [each * 1e6 for each in floor.values],
                 "engine_us_per_push": [each * 1e6 for each in ours.values],
                 "h2load_us_per_push": [each * 1e6 for each in theirs.values]})


def _messages(place, provider, fcm, messages, rounds):
    """Messages to Android. The yardstick is the one of APNs: requests with as long a body, and answers without one."""
    say(f"messages of FCM and h2load, {rounds} times {messages:,} each")
    yardstick = h2load.Yardstick(place, provider, payload(MESSAGE_BYTES), CONNECTIONS)
    start = Samples(_engine(place, fcm, STATE_BYTES, CONNECTIONS) for _ in range(3)).median
    ours, theirs = alternately(
        rounds,
        lambda: (_engine(place, fcm, STATE_BYTES, messages) - start) / (messages - CONNECTIONS),
        lambda: yardstick.push(messages))
    return Figure(
        "engine_fcm", f"engine: CPU per message of FCM with {MESSAGE_BYTES} bytes, h2load = 1", ratios(ours, theirs), 0.50, aim=0.35,
        notes=[f"Engine {ours.median * 1e6:.2f} µs a message, h2load {theirs.median * 1e6:.2f} µs a push of as many bytes to"
               " APNs. FCM allows a connection 100 streams in place of 1,000, and its answers have a body."],
        details={"messages": messages, "connections": CONNECTIONS,
                 "engine_us_per_message": [each * 1e6 for each in ours.values],
                 "h2load_us_per_push": [each * 1e6 for each in theirs.values]})


def _engine(place, provider, size, pushes):
    """CPU seconds of the whole process."""
    output, seconds = place.run("push-benchmark", [
        place.binary("push-benchmark"), "--url", provider.url, "--directory", provider.directory,
        "--pushes", str(pushes), "--bytes", str(size), "--connections", str(CONNECTIONS), *provider.flags])
    if json.loads(output)["accepted"] != pushes:
        raise BenchFailure("not all pushes of the engine were accepted")
    return seconds


def payload(size):
    """The same payload as push-benchmark makes."""
    head, tail = b'{"aps":{"timestamp":1,"event":"update","content-state":{"text":"', b'"}}}'
    return head + b"x" * (size - len(head) - len(tail)) + tail
