"""The phones of a mixed segment: what each is, and which tokens it has. Pure."""

import hashlib

from harness.phone import AppType

#: The app's types, as `content` and `alert` fill them.
APP_TYPE = AppType("MixedAttributes", {"match": str}, {"match": str, "step": int})
#: The match of a run, and another one that some phones show beside it.
MATCH, OTHER = "ajax-feyenoord", "psv-az"
#: The step of the end.
END = 1000

#: Of a hundred phones, in their order: how many are of a kind.
SHARES = (("token", 28), ("dead_token", 2), ("channel", 30), ("sandbox_channel", 10), ("android", 18), ("dead_android", 2),
          ("opted_out", 10))
_OF_HUNDRED = [kind for kind, count in SHARES for _ in range(count)]

#: Reached by a registration token.
ANDROID = ("android", "dead_android")
#: Started with a channel to follow.
FOLLOWERS = ("channel", "sandbox_channel")
#: The provider calls their tokens dead.
DEAD = ("dead_token", "dead_android")
#: Report once their Live Activity is there; the others need not, or have none.
SYNCED = ("token", "android")


class Phone:
    """One of them; its number says everything."""

    def __init__(self, number):
        self.number = number
        # Kinds are mixed, so that users of all kinds stand side by side.
        self.kind = _OF_HUNDRED[number * 37 % 100]
        self.insider_id, self.udid = f"user-{number}", f"phone-{number}"
        digits = hashlib.sha256(b"%d" % number).hexdigest()
        #: What a start goes to.
        self.start_token = f"chaos:{digits}{'-gone' if self.kind == 'dead_android' else ''}" \
            if self.kind in ANDROID else digits
        self._digits = digits

    def update_token(self, match=MATCH):
        """The token that updates and ends go to. An Android phone has one for all."""
        if self.kind in ANDROID:
            return self.start_token
        return ("b0" if match == MATCH else "b1") + self._digits[2:]

    def record(self):
        """As `fanfare devices import` takes it."""
        is_android = self.kind in ANDROID
        version = "16" if is_android else "18.1" if self.kind in FOLLOWERS else "17.5"
        return {
            "insider_id": self.insider_id, "udid": self.udid, "platform": "android" if is_android else "ios",
            "os_version": version, "push_opt_in": self.kind != "opted_out", "gdpr_consent": True,
            "environment": "sandbox" if self.kind == "sandbox_channel" else "production",
            "registration_token" if is_android else "push_to_start_token": self.start_token}

    def sync(self, match=MATCH, **named):
        """The report of a Live Activity that is there: `named` names the activity."""
        body = {"insider_id": self.insider_id, "udid": self.udid} | named
        return body if self.kind in ANDROID else body | {
            "token": self.update_token(match), "system_activity_id": f"{match}-{self.number}"}


def content(match, step):
    return {"match": match, "step": step}


def alert(match):
    """The members of a start beside its content state."""
    return {"title": "t", "message": "m", "attributes": {"match": match}}


def phones(count):
    return [Phone(number) for number in range(count)]
