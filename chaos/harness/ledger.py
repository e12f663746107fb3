"""The provider's ledger: what was pushed, and what was answered."""

import base64
import dataclasses
import json

#: RFC 9113, section 7: nothing was done for the stream.
REFUSED_STREAM = 7


@dataclasses.dataclass(frozen=True)
class Push:
    #: Seconds since 1970 when the request was complete.
    time: float
    token: str
    event: str
    #: `aps.timestamp`.
    timestamp: int
    #: The harness's number of the activity, and of the call whose content it carries.
    activity: int
    call: int
    #: What the provider decided; None when it was silent, reset the stream or closed the connection.
    status: int | None
    reason: str | None
    #: The first 28 characters of `apns-id`, which are those of the broadcast's id.
    broadcast: str
    #: In the file, from 1.
    line: int
    connection: int = 0
    answer_sent: bool = True
    #: The code of HTTP/2 that the stream was reset with.
    reset: int | None = None
    #: The payload's `aps`, as the phone gets it.
    aps: dict = dataclasses.field(default_factory=dict, compare=False, repr=False)

    @property
    def may_be_delivered(self):
        """Whether the gateway cannot rule out that the phone has it: neither answered otherwise nor refused."""
        return self.status == 200 or self.status is None and self.reset != REFUSED_STREAM

    def __str__(self):
        answer = "no answer" if self.status is None else f"{self.status} {self.reason or ''}".strip()
        lost = "" if self.answer_sent or self.status is None else ", not delivered"
        return (f"line {self.line}: {self.time:.3f} {self.event} call {self.call} timestamp {self.timestamp}"
                f" connection {self.connection}: {answer}{lost}")


#: How much of `apns-id` names the broadcast; the rest is the number of the device.
BROADCAST_PREFIX = 28


def read_line(text, line):
    record = json.loads(text)
    aps = json.loads(base64.b64decode(record["payload"]))["aps"]
    state = aps.get("content-state", {})
    return Push(
        time=record["time"] / 1000, token=record["path"].rsplit("/", 1)[-1], event=aps["event"],
        timestamp=aps["timestamp"], activity=state.get("activity", 0), call=state.get("call", 0),
        status=record.get("status"), reason=record.get("reason"),
        broadcast=record["headers"].get("apns-id", "")[:BROADCAST_PREFIX].lower(), line=line,
        connection=record.get("connection", 0), answer_sent=record.get("answer_sent", True),
        reset=record.get("reset"), aps=aps)


def read(path):
    with open(path, encoding="ascii") as file:
        return [read_line(text, number) for number, text in enumerate(file, 1)]
