"""One push of the gateway as it arrives at the provider."""

import base64
import json

from .failure import BenchFailure
from .gateway import running_gateway


def filler_for(binaries, size):
    """How much text a start's content needs for a payload of exactly `size` bytes, and such a payload."""
    short = pushed_payload(binaries, 0)
    filler = size - len(short)
    if filler < 0:
        raise BenchFailure(f"the shortest payload has {len(short)} bytes, more than {size}")
    payload = short.replace(b'"text":""', b'"text":"' + b"x" * filler + b'"')
    if len(payload) != size:
        raise BenchFailure("the content state is not in the payload as it was sent")
    return filler, payload


def pushed_payload(binaries, filler):
    with running_gateway(binaries, keeps_ledger=True) as gateway:
        gateway.import_devices(1)
        gateway.start(gateway.register(1), 1, filler)
        gateway.place.stop(gateway.server)
        gateway.place.stop(gateway.provider.server)
        with open(f"{gateway.provider.directory}/ledger.ndjson", encoding="utf-8") as file:
            return ledger_payload(file.readline())


def ledger_payload(line):
    """The payload in a line of the mock's ledger."""
    try:
        return base64.b64decode(json.loads(line)["payload"], validate=True)
    except (ValueError, KeyError, TypeError) as error:
        raise BenchFailure(f"the mock's ledger has no payload: {line[:200]}") from error
