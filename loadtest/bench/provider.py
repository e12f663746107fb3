"""The mock of Apple's push service, and the provider token that it asks for."""

import base64
import json
import re
import time


class Provider:
    """`fanfare mock-apns` on a free port of this machine."""

    command = "mock-apns"
    #: What push-benchmark is told of it.
    flags = ()

    def __init__(self, place, name="mock", script=None, keeps_ledger=False):
        self.place = place
        self.directory = place.path(name)
        arguments = [place.binary("fanfare"), self.command, "--port", "0", "--out-dir", self.directory]
        if not keeps_ledger:
            arguments.append("--no-ledger")
        if script is not None:
            path = place.path(f"{name}.json")
            with open(path, "w", encoding="ascii") as file:
                json.dump(script, file)
            arguments += ["--script", path]
        self.server = place.start(name, arguments)
        match = self.server.wait_until(
            "listening", lambda: re.search(r"listens at https://[a-z0-9.]+:(\d+)\s", self.server.said()))
        self.url = f"https://127.0.0.1:{match.group(1)}"

    def text(self, name):
        with open(f"{self.directory}/{name}", encoding="ascii") as file:
            return file.read().strip()

    def environment(self):
        """What points a gateway at it."""
        return dict(line.split("=", 1) for line in self.text("apns.env").splitlines() if "=" in line)

    def token(self):
        """A provider token: a JSON Web Token signed with ES256 (RFC 7515, RFC 7518)."""
        header = {"alg": "ES256", "kid": self.text("key_id")}
        claims = {"iss": self.text("team_id"), "iat": int(time.time())}
        signed = base64url(compact(header)) + "." + base64url(compact(claims))
        path, result = self.place.path("token"), self.place.path("token.signature")
        with open(path, "w", encoding="ascii") as file:
            file.write(signed)
        self.place.run("openssl", ["openssl", "dgst", "-sha256", "-sign", f"{self.directory}/key.p8", "-out", result,
                                   path], timeout=30)
        with open(result, "rb") as file:
            return signed + "." + base64url(raw_signature(file.read()))

    def header_fields(self):
        """What each push of a broadcast has beside its path: the fields that Fanfare sends, with values as long."""
        return {
            "authorization": f"bearer {self.token()}",
            "apns-push-type": "liveactivity",
            "apns-topic": self.text("bundle_id") + ".push-type.liveactivity",
            "apns-priority": "10",
            "apns-expiration": "0",
            "apns-id": "07070707-0707-0707-0707-070700000000",
        }


class FCMProvider(Provider):
    """`fanfare mock-fcm`, with a quota that nobody uses up."""

    command = "mock-fcm"
    flags = ("--fcm",)

    def __init__(self, place, name="mock-fcm"):
        super().__init__(place, name, script={"quota": {"messages_per_minute": 1_000_000_000}})


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw_signature(der):
    """From SEQUENCE { INTEGER r, INTEGER s }, as OpenSSL writes a P-256 signature, to the 64 bytes of r and s."""
    if len(der) < 8 or der[0] != 0x30 or der[1] != len(der) - 2:
        raise ValueError("this is no signature in DER")
    parts, offset = [], 2
    for _ in range(2):
        if offset + 2 > len(der) or der[offset] != 0x02:
            raise ValueError("this is no signature in DER")
        end = offset + 2 + der[offset + 1]
        parts.append(int.from_bytes(der[offset + 2:end], "big").to_bytes(32, "big"))
        offset = end
    return b"".join(parts)
