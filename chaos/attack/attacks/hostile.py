"""Bodies and heads over every limit, HTTP that is none, and requests that two readers would cut differently."""

import json

from attack.wire import BrokenAnswer, Wire, ask, request
from harness.failure import ChaosFailure

NAME = "hostile"
TITLE = "bodies over every limit, malformed HTTP, smuggling attempts"
#: Statuses that refuse a request for its form.
_REFUSALS = range(400, 500)
_MEGABYTE = 1 << 20


def oversized(tenant):
    """What it is, the bytes, and the status that belongs to it."""
    customer, app = {"X-Api-Key": tenant["api_key"]}, {"X-Sdk-Key": tenant["sdk_key"]}
    large = json.dumps({"activity_type": "x" * (3 * _MEGABYTE)})
    register = "/api/v1/live-activity/register"
    yield "a body of 3 MB", request("POST", register, customer, large), (413,)
    yield "a body of 3 MB of an app", request("PUT", "/api/v1/sdk/device", app, large), (413,)
    yield "a body of 9 EB that is only announced", _raw(f"POST {register} HTTP/1.1", "Host: f", *_fields(customer),
                                                        "Content-Length: 9000000000000000000"), (413, 400)
    chunk = b"100000\r\n" + b"a" * _MEGABYTE + b"\r\n"
    yield "chunks of 3 MB", _raw(f"POST {register} HTTP/1.1", "Host: f", *_fields(customer),
                                 "Transfer-Encoding: chunked") + chunk * 3 + b"0\r\n\r\n", (413,)
    yield "a field of 200 kB", _raw("GET /health/live HTTP/1.1", "Host: f", "X-Long: " + "a" * 200_000), (431,)
    yield "3,000 fields", _raw("GET /health/live HTTP/1.1", "Host: f", *(f"X-{n}: {n}" for n in range(3_000))), (431,)
    yield "a path of 200 kB", _raw("GET /" + "a" * 200_000 + " HTTP/1.1", "Host: f"), (414, 431, 400)


def malformed():
    yield "no HTTP at all", b"GARBAGE\r\n\r\n"
    yield "a request line of a method alone", b"GET\r\n\r\n"
    yield "a version that is none", _raw("GET / HTTP/9.9", "Host: f")
    yield "a TLS handshake", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 40 + b"\r\n\r\n"
    yield "no Host", _raw("GET /health/live HTTP/1.1")
    yield "two Hosts", _raw("GET /health/live HTTP/1.1", "Host: a", "Host: b")
    yield "a NUL in a field", b"GET /health/live HTTP/1.1\r\nHost: f\r\nX-A: a\x00b\r\n\r\n"
    yield "a space in front of a colon", b"GET /health/live HTTP/1.1\r\nHost : f\r\n\r\n"
    yield "a field without a name", b"GET /health/live HTTP/1.1\r\nHost: f\r\n: a\r\n\r\n"
    yield "a control character in the path", b"GET /health/\x01live HTTP/1.1\r\nHost: f\r\n\r\n"


def smuggling(tenant, target):
    """What it is, and bytes of which a careless reader takes the end for a request of its own."""
    path = f"/api/v1/segments/{target}"
    hidden = request("DELETE", path, {"X-Api-Key": tenant["api_key"]})
    first, host = "POST /api/v1/live-activity/register HTTP/1.1", "Host: f"
    fields = _fields({"X-Api-Key": tenant["api_key"], "Content-Type": "application/json"})

    def framed(*framing):
        return _raw(first, host, *fields, *framing)

    yield "a length and chunks", framed("Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n" + hidden
    yield "chunks and a length", framed("Transfer-Encoding: chunked", "Content-Length: 4") + b"0\r\n\r\n" + hidden
    yield "two lengths", framed("Content-Length: 2", f"Content-Length: {2 + len(hidden)}") + b"{}" + hidden
    yield "a list of lengths", framed(f"Content-Length: 2, {2 + len(hidden)}") + b"{}" + hidden
    yield "a length with a sign", framed("Content-Length: +2") + b"{}" + hidden
    yield "a negative length", framed("Content-Length: -1") + hidden
    yield "a length in hexadecimal", framed("Content-Length: 0x2") + b"{}" + hidden
    yield "a length that wraps round", framed("Content-Length: 18446744073709551618") + b"{}" + hidden
    yield "an unknown transfer coding", framed("Transfer-Encoding: xchunked") + b"0\r\n\r\n" + hidden
    yield "chunked that is not last", framed("Transfer-Encoding: chunked, identity") + b"0\r\n\r\n" + hidden
    yield "chunked twice", framed("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + b"0\r\n\r\n" + hidden
    yield "chunked behind a tab", framed("Transfer-Encoding:\tchunked", "Content-Length: 0") + b"0\r\n\r\n" + hidden
    yield "a chunk whose size is none", framed("Transfer-Encoding: chunked") + b"zz\r\n" + hidden
    yield "a chunk with a sign", framed("Transfer-Encoding: chunked") + b"-1\r\n" + hidden
    yield "a chunk that wraps round", framed("Transfer-Encoding: chunked") + b"10000000000000000\r\n" + hidden
    yield "a space in front of a colon", framed("Transfer-Encoding : chunked", "Content-Length: 5") + b"0\r\n\r\n" + hidden
    yield "a folded field", framed("X-A: b\r\n Transfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n" + hidden
    yield "a bare CR", framed("X-A: b\rTransfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n" + hidden


def _fields(headers):
    return [f"{name}: {value}" for name, value in headers.items()]


def _raw(*lines):
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def prepare(siege):
    raider = siege.tenant("raider")
    customer = {"X-Api-Key": raider["api_key"], "Content-Type": "text/csv"}
    answer = ask(siege.ports[0], "PUT", "/api/v1/segments/kept", customer, "ann\nbob\n")
    if answer is None or answer.status != 200:
        raise ChaosFailure(f"the segment of this attack was not taken: {answer}")
    return raider


def play(siege, raider):
    for what, data, statuses in oversized(raider):
        answers = _answers(siege, data)
        siege.check(f"refused with {' or '.join(map(str, statuses))}: {what}",
                    len(answers) == 1 and answers[0].status in statuses, answers)
        _check_form(siege, what, answers)
    for what, data in malformed():
        answers = _answers(siege, data)
        siege.check(f"refused with 400: {what}", len(answers) == 1 and answers[0].status == 400, answers)
        _check_form(siege, what, answers)
    for what, data in smuggling(raider, "kept"):
        answers = _answers(siege, data)
        siege.check(f"nothing is smuggled by {what}",
                    len(answers) == 1 and answers[0].status in _REFUSALS, answers)
        _check_form(siege, what, answers)
    kept = ask(siege.ports[0], "GET", "/api/v1/segments/kept", {"X-Api-Key": raider["api_key"]})
    siege.check("what a smuggled request was to delete is there", kept and kept.status == 200, kept)
    with siege.raid("hold", opening="GARBAGE / NONE\r\n\r\n", connections=siege.size(20_000, 500), rate=siege.size(2_000, 500),
                    seconds=siege.size(10, 2)) as raid:
        raid.wait(siege.size(15, 5))
    siege.add(raid)


def _answers(siege, data):
    """All answers on one connection until the gateway closes it, or says nothing for a while."""
    try:
        with Wire(siege.ports[0], source="127.0.0.66", timeout=3) as wire:
            try:
                wire.send(data)
            except OSError:
                # It need not read to the end what it has refused.
                pass
            answers = wire.answers()
    except (OSError, BrokenAnswer) as error:
        siege.result.answers[type(error).__name__] += 1
        return []
    for answer in answers:
        siege.count(answer)
    return answers


def _check_form(siege, what, answers):
    for answer in answers:
        if answer.status >= 400:
            siege.check(f"the refusal has a code and a request id: {what}",
                        answer.code and answer.object.get("error") and answer.header("X-Request-Id"), answer)
