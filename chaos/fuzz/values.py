"""Values: right ones after a schema, and such as parsers stumble over. Pure: randomness comes in."""

import datetime
import uuid


class Raw(bytes):
    """Bytes that stand in JSON as they are."""


class Pairs(list):
    """An object as a list of (name, value), so that a name may come twice and order is ours."""


NUMBERS = [Raw(each) for each in (
    b"0", b"-0", b"-1", b"1", b"1.0", b"1e0", b"0.5", b"-0.0", b"1e3", b"1E+3", b"1e-3", b"1e308", b"1e309", b"-1e309", b"1e-400",
    b"2147483647", b"2147483648", b"4294967296", b"9007199254740993", b"9223372036854775807", b"9223372036854775808",
    b"-9223372036854775809", b"18446744073709551616", b"123456789012345678901234567890", b"3.0000000000000001",
    b"00", b"01", b"+1", b".5", b"1.", b"0x10", b"1e", b"1e+", b"-", b"NaN", b"Infinity", b"-Infinity", b"1_000",
    b"0." + b"0" * 400 + b"1", b"1" * 4000)]

STRINGS = [
    "", " ", "\t", "\u00a0", "\u2028", "\u0000", "a\u0000b", "\u001f", "\u007f", "\ufeff", "\ufffd", "\U0010ffff", "\u202e", "e\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "ﬀ", "İ", "ß", "null", "true", "0", "-1", "{}", "{x}", "}{", "[]", "*", "?", "%00", "%2e%2e",
    "../../etc/passwd", "..", ".", "/", "//", "\\", "a/b", "a:b", "a\r\nb: c", "\r\n", "$(id)", "`id`", "';--", "return redis.call('KEYS','*')",
    "\r\n*1\r\n$8\r\nFLUSHALL\r\n", "fanfare:{x}:j:0", "00000000-0000-0000-0000-000000000000", "9999-12-31T23:59:59Z",
    "0000-00-00T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01T24:00:00+99:99", "+", "=", "&", "#", "%", "%zz", "%c0%af",
    *("x" * length for length in (249, 250, 251, 255, 256, 257, 400, 401, 1024, 1025, 4096, 5120, 65_536)),
    *("é" * length for length in (125, 126, 128)), "ab" * 200, "ab" * 201, "abc"]

#: Strings as bytes that the text forms of Python cannot say.
RAW_STRINGS = [Raw(each) for each in (
    b'"\xff\xfe"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xf8\x88\x80\x80\x80"', b'"\xe2\x82"', b'"\\ud800"', b'"\\udc00\\ud800"',
    b'"\\ud83d\\ude00"', b'"\\u0000"', b'"\\x41"', b'"\\u00"', b'"\\u{41}"', b'"\\"', b'"a\nb"', b'"a\x00b"', b"'a'", b'"\\/\\b\\f\\n\\r\\t"')]


class Maker:
    """Draws values that a schema allows."""

    def __init__(self, description, random, known):
        """`known`: by a field's name, values that mean something to the gateway."""
        self.description, self.random, self.known = description, random, known
        #: Names that mean one thing together, such as a user and a device, are drawn together.
        self.row = random.randrange(1_000)

    def of(self, schema, name=None, depth=0):
        schema = self.description.resolved(schema)
        if name in self.known and self.random.random() < 0.85:
            values = self.known[name]
            return values[self.row % len(values)] if self.random.random() < 0.8 else self.random.choice(values)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.random.choice(schema["enum"])
        if schema.get("examples") and self.random.random() < 0.4:
            return self.random.choice(schema["examples"])
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = self.random.choice(kind)
        return getattr(self, f"_{kind}")(schema, name, depth)

    def _object(self, schema, _, depth):
        required, pairs = set(schema.get("required", ())), Pairs()
        for name, property_ in schema.get("properties", {}).items():
            if name in required or depth < 5 and self.random.random() < 0.35:
                # What may be left out may be null as well.
                is_null = name not in required and self.random.random() < 0.1
                pairs.append((name, None if is_null else self.of(property_, name, depth + 1)))
        if schema.get("additionalProperties") is not False and not schema.get("properties"):
            pairs += [(f"k{number}", self.random.choice([1, "v", None, [1, 2], True])) for number in range(self.random.randrange(4))]
        return pairs

    def _array(self, schema, name, depth):
        least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
        count = self.random.randint(least, min(most, least + 4))
        singular = name[:-1] if name and name.endswith("s") else name
        return [self.of(schema.get("items", {}), singular, depth + 1) for _ in range(count)]

    def _string(self, schema, *_):
        if schema.get("format") == "uuid":
            return str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        if schema.get("format") == "date-time":
            later = datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=self.random.randrange(10**6))
            return later.strftime("%Y-%m-%dT%H:%M:%SZ")
        if schema.get("examples"):
            return self.random.choice(schema["examples"])
        length = self.random.choice((schema.get("minLength", 0), min(schema.get("maxLength", 12), 2_000), 8))
        return "".join(self.random.choice("abcdef0123456789") for _ in range(length))

    def _integer(self, schema, *_):
        low = schema.get("minimum", 0)
        high = schema.get("maximum", low + 1_000)
        return self.random.choice((low, high, self.random.randint(int(low), int(high))))

    def _number(self, schema, *_):
        return self._integer(schema) + self.random.choice((0, 0.5))

    def _boolean(self, *_):
        return self.random.random() < 0.5


def rendered(value, random=None):
    """JSON as bytes. With randomness, white space now and then where it may be."""
    space = random.choice((b"", b"", b" ", b"\n\t")) if random else b""
    if isinstance(value, Raw):
        return bytes(value)
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (int, float)):
        return repr(value).encode()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        return b"{" + space + (b"," + space).join(rendered(name) + b":" + space + rendered(each) for name, each in value) + b"}"
    return b"[" + space + (b"," + space).join(map(rendered, value)) + b"]"


def quoted(text):
    parts = ['"']
    for character in text:
        if character in '"\\':
            parts.append("\\" + character)
        elif character < " ":
            parts.append(f"\\u{ord(character):04x}")
        else:
            parts.append(character)
    return "".join([*parts, '"']).encode("utf-8", "surrogatepass")
