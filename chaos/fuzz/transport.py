"""Bytes on the wire as no client sends them: a case is a list of steps. Pure: randomness comes in.

A step is bytes to be sent by themselves, or one of `PAUSE`, `HALF_CLOSE` and `RESET`.
"""

PAUSE, HALF_CLOSE, RESET = "pause", "half close", "reset"


def split(data, random, pieces=None):
    """The same bytes, cut at places that are drawn."""
    count = pieces or random.choice((1, 2, 3, 7, 20))
    cuts = sorted(random.randrange(len(data) + 1) for _ in range(count - 1))
    return [piece for piece in (data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)])) if piece]


def chunked(body, random):
    """The body in chunks of which each is right."""
    parts = []
    for piece in split(body, random) if body else []:
        size = random.choice((b"%x", b"%X", b"0%x", b"000%x")) % len(piece)
        parts += [size, random.choice((b"", b"", b";a", b";a=b", b';a="b;c"')), b"\r\n", piece, b"\r\n"]
    return b"".join([*parts, b"0\r\n", random.choice((b"", b"", b"X-Trailer: a\r\n")), b"\r\n"])


def with_chunks(data, random):
    """A request with a length, turned into one with chunks."""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length:")]
    return b"\r\n".join([*lines, b"Transfer-Encoding: chunked"]) + b"\r\n\r\n" + chunked(body, random)


#: Fields that say where a message ends, or who is meant, in ways in which readers differ.
_AMBIGUOUS = (
    b"Content-Length: 0", b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: +5", b"Content-Length: 5, 5", b"Content-Length:", b"Content-Length: 1e3",
    b"Content-Length: 99999999999999999999", b"Content-Length : 5", b"content-length: 5", b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity",
    b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: chunked, chunked", b"Transfer-Encoding: xchunked", b"Transfer-Encoding:\x0bchunked",
    b"Transfer-Encoding", b" Transfer-Encoding: chunked", b"Host: other", b"Host: ", b"Host: a b", b"Host: [::1", b"Connection: close", b"X: \x00", b"X: a\rb", b"\x00: x",
    b": x", b"X\xff: y", b"X: \xff\xfe", b"X(: y", b"Upgrade: h2c", b"Expect: 100-continue", b"X: " + b"y" * 20_000, b"Trailer: Content-Length", b"TE: trailers")


def spoilt(data, random):
    """A right request, spoilt as bytes."""
    lines = data.partition(b"\r\n\r\n")[0].split(b"\r\n")
    line = random.choice(lines)
    at = random.randrange(len(data) + 1)
    return random.choice((
        lambda: data.replace(b"\r\n\r\n", b"\r\n" + random.choice(_AMBIGUOUS) + b"\r\n\r\n", 1),
        lambda: data.replace(b"\r\n\r\n", b"\r\n" + random.choice(_AMBIGUOUS) + b"\r\n" + random.choice(_AMBIGUOUS) + b"\r\n\r\n", 1),
        lambda: data.replace(line, line + b"\r\n" + line, 1),
        lambda: data.replace(line + b"\r\n", b"", 1),
        lambda: data.replace(b"\r\n", b"\n", random.choice((1, -1))),
        lambda: data.replace(b"\r\n", b"\r", 1),
        lambda: data.replace(b"HTTP/1.1", random.choice((b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.10", b"HTTP/", b"", b"HTTP/1.1 ")), 1),
        lambda: data.replace(b" ", random.choice((b"  ", b"\t", b"\x00", b"\x0b", b"")), 1),
        lambda: data[:at] + bytes(random.randrange(256) for _ in range(random.choice((1, 2, 16)))) + data[at:],
        lambda: data[:at] + bytes([random.randrange(256)]) + data[at + 1:],
        lambda: data[:at] + data[at + random.randrange(1, 40):],
        lambda: b"\r\n" * random.choice((1, 2, 50)) + data,
        lambda: bytes(random.randrange(256) for _ in range(random.randrange(1, 400))),
        lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + data,
        lambda: b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + data,
    ))()


def spoilt_chunks(data, random):
    """A right request, in chunks of which one is not."""
    whole = with_chunks(data, random)
    head, _, body = whole.partition(b"\r\n\r\n")
    wrong = random.choice((b"zz\r\n", b"-1\r\n", b"\r\n", b"10000000000000000\r\n", b"7fffffffffffffff\r\n", b"5\r\nab", b"1\r\nabc\r\n", b"0x5\r\nabcde\r\n", b" 5\r\nabcde\r\n",
                           b"5 \r\nabcde\r\n", b"5\nabcde\n", b"5;" + b"a" * 20_000 + b"\r\nabcde\r\n", b"0\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", b"1\r\na\r\n" * 3_000))
    return head + b"\r\n\r\n" + random.choice((wrong + body, body.replace(b"0\r\n", wrong, 1), wrong))


def case(requests, random):
    """Steps from a few right requests; and whether all of them are still right, so that each must be answered."""
    kind = random.choice(("split", "pipelined", "chunked", "truncated", "reset", "spoilt", "spoilt", "spoilt", "spoilt chunks", "slow", "trailing"))
    first, steps, is_right = requests[0], [], False
    if kind == "split":
        steps, is_right = split(first, random, random.choice((2, 5, 60))), True
    elif kind == "pipelined":
        steps, is_right = split(b"".join(requests), random), True
    elif kind == "chunked":
        steps, is_right = split(with_chunks(first, random), random), True
    elif kind == "truncated":
        steps = [first[:random.randrange(len(first))]]
    elif kind == "reset":
        steps = [first[:random.randrange(1, len(first) + 1)], RESET]
    elif kind == "spoilt":
        steps = split(spoilt(first, random), random)
    elif kind == "spoilt chunks":
        steps = split(spoilt_chunks(first, random), random)
    elif kind == "slow":
        steps, is_right = [part for piece in split(first, random, 4) for part in (piece, PAUSE)], True
    elif kind == "trailing":
        steps = [first + spoilt(requests[-1], random)]
    if RESET not in steps and random.random() < 0.4:
        steps.append(HALF_CLOSE)
    return kind, steps, is_right
