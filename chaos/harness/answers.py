"""What a call may be answered, given what the provider and the customer have done to the devices that it addresses. Pure.

Anything else is recorded as an oddity, so every answer that the contract grants has to be in here."""

#: The answers of a call that was carried out.
_DONE = (200, 202)


def is_rightful(kind, status, code, living, may_be_over=False):
    """Whether an answer that is final (below 500, and not 429) may be given to a call.

    - living: how many of the devices that it addresses surely can be pushed to. The provider may have called the tokens
      of all others dead, and then nobody is left: 422.
    - may_be_over: somebody has asked for the activity's end before.
    """
    if status in _DONE:
        return True
    if kind in ("register", "add-users"):
        return (status, code) == (422, "NO_ELIGIBLE_DEVICE") and living == 0
    if status == 404:
        return code == "NOT_FOUND" and may_be_over
    if kind == "start":
        return (status, code) == (409, "ALREADY_STARTED") or _has_nobody(status, code, living)
    if (status, code) == (409, "DEVICE_NOT_SYNCED"):
        return True
    return kind == "update" and _has_nobody(status, code, living)


def _has_nobody(status, code, living):
    return (status, code) == (422, "NO_ELIGIBLE_DEVICE") and living == 0
