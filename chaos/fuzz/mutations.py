"""Ways to spoil a value, a body and a request. Pure: randomness comes in."""

from .values import NUMBERS, RAW_STRINGS, STRINGS, Pairs, Raw, rendered

_OTHERS = [None, True, False, [], {}, [[]], [None], "", 0, {"a": {"b": []}}]


def places(value, path=()):
    """The way to each node of a tree, the tree itself first."""
    yield path
    if isinstance(value, (Pairs, dict)):
        for index, (_, each) in enumerate(value.items() if isinstance(value, dict) else value):
            yield from places(each, (*path, index))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from places(each, (*path, index))


def changed(value, path, change):
    """A copy in which `change` was made of the node there."""
    if not path:
        return change(value)
    index, rest = path[0], path[1:]
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        return Pairs((name, changed(each, rest, change) if at == index else each) for at, (name, each) in enumerate(value))
    return [changed(each, rest, change) if at == index else each for at, each in enumerate(value)]


def _other_type(random, _):
    return random.choice(_OTHERS)


def _number(random, _):
    return random.choice(NUMBERS)


def _string(random, _):
    return random.choice(RAW_STRINGS if random.random() < 0.4 else STRINGS)


def _nested(random, _):
    depth = random.choice((3, 63, 64, 65, 127, 128, 129, 500, 512, 1_000, 10_000, 100_000))
    left, right = random.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return Raw(left * depth + b"1" + right * depth if random.random() < 0.8 else left * depth)


def _many(random, value):
    count = random.choice((2, 100, 1_001, 10_000, 10_001))
    if isinstance(value, Pairs):
        return Pairs([*value, *((f"k{number}", number) for number in range(count))])
    return [value] * count if len(rendered(value)) * count < 2_500_000 else [value] * 2


def _duplicate(random, value):
    if isinstance(value, Pairs) and value:
        name, each = random.choice(value)
        return Pairs([*value, (name, random.choice((each, None, "other", 7)))])
    return value


def _unknown(random, value):
    if isinstance(value, Pairs):
        name = random.choice(("unknown", "activityId", "__proto__", "constructor", "", "\u0000", "ACTIVITY_ID", "a" * 300))
        return Pairs([(name, random.choice(_OTHERS)), *value])
    return value


def _removed(random, value):
    if isinstance(value, Pairs) and value:
        gone = random.randrange(len(value))
        return Pairs(each for at, each in enumerate(value) if at != gone)
    return value[1:] if isinstance(value, list) else None


def _renamed(random, value):
    if isinstance(value, Pairs) and value:
        at = random.randrange(len(value))
        name = value[at][0]
        if isinstance(name, str):
            other = random.choice((name.upper(), name + " ", " " + name, name + "s", name[:-1], name.replace("_", ""), name + "\u0000"))
            return Pairs([*value[:at], (other, value[at][1]), *value[at + 1:]])
    return value


def _shuffled(random, value):
    if isinstance(value, list):
        copy = type(value)(value)
        random.shuffle(copy)
        return copy
    return value


OF_NODES = (_other_type, _number, _string, _nested, _many, _duplicate, _unknown, _removed, _renamed, _shuffled)


def spoilt(value, random):
    """With one to three nodes spoilt."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        change = random.choice(OF_NODES)
        value = changed(value, random.choice(list(places(value))), lambda node: change(random, node))
    return value


def spoilt_bytes(data, random):
    """A body as bytes, spoilt where JSON has no say."""
    at = random.randrange(len(data) + 1)
    return random.choice((
        lambda: data[:at],
        lambda: data[at:],
        lambda: data[:at] + bytes([random.randrange(256)]) + data[at:],
        lambda: data[:at] + bytes([random.randrange(256)]) + data[at + 1:],
        lambda: data + random.choice((b"}", b",", b"x", b"\x00", b"//c", data, b" " * 100_000)),
        lambda: random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b" " * 70_000, b"/*c*/")) + data,
        lambda: data.replace(b"}", b",}", 1),
        lambda: data.replace(b'"', b"'"),
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: b"",
        lambda: random.choice((b"null", b"[]", b"{}", b'""', b"0", b"\x00", b"{" * 5_000)),
    ))()


#: Media types as clients write them, right and wrong.
MEDIA = ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=utf-16", "application/json;",
         "text/json", "text/plain", "application/jsonx", "application/json, text/plain", "multipart/form-data", "", "application/x-ndjson",
         "text/csv", "x" * 3_000)

#: Fields that somebody may send with anything.
FIELDS = (
    ("Idempotency-Key", ("k", "", "x" * 255, "x" * 256, "a b", "\u00e9", "k\tk")),
    ("Prefer", ("respond-async", "RESPOND-ASYNC", "respond-async, wait=1", "wait=99999999999999", "x" * 5_000, "")),
    ("X-Request-Id", ("", " ", "x" * 129, "a b", "\u00e9", '"><script>', "a,b")),
    ("Accept", ("text/html", "*/*", "application/json;q=0", "")),
    ("Accept-Encoding", ("gzip", "identity;q=0", "br, gzip;q=0.001")),
    ("Content-Encoding", ("gzip", "identity", "deflate, gzip")),
    ("Expect", ("100-continue", "200-ok")),
    ("Connection", ("close", "keep-alive", "upgrade", "close, keep-alive", "X-Api-Key")),
    ("Upgrade", ("h2c", "websocket")),
    ("If-None-Match", ("*", '"x"')),
    ("X-Identity-Signature", ("", "00", "ab" * 32, "zz" * 32, "v2", "v2;1;ab", "x" * 10_000)),
    ("X-Forwarded-For", ("127.0.0.1", "x", "1.2.3.4, 5.6.7.8", "a" * 5_000)),
    ("Forwarded", ("for=127.0.0.1", "for=\"[::1]\"")),
    ("X-HTTP-Method-Override", ("DELETE",)),
    ("Range", ("bytes=0-0", "bytes=9-1")),
    ("Cookie", ("a=b",)),
    ("traceparent", ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-zz", "ff-" + "0" * 60)),
)


def spoilt_path(path, random):
    """A path or query, spoilt."""
    at = random.randrange(len(path) + 1)
    return random.choice((
        lambda: path[:at] + random.choice(("%00", "%2f", "%2F..", "%", "%zz", "%c0%af", "%F0%9F%98%80", "//", "/./", "/../", ";x", "\\", "|", "{", "}")) + path[at:],
        lambda: path + random.choice(("/", "?", "?limit=", "?limit=-1", "?limit=99999999999999999999", "?limit=1&limit=2", "?cursor=x",
                                      "?&&==&", "?a", "?%00=%00", "?state=x", "?" + "a=b&" * 2_000, "#x", "?x=" + "y" * 6_000)),
        lambda: path.upper(),
        lambda: path[:at],
        lambda: "http://fanfare" + path,
        lambda: path[:at] + "a" * random.choice((100, 1_000, 7_000)) + path[at:],
    ))()
