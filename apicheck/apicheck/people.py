"""The users that the tenant of a check knows."""

COUNT = 40
# Users whose devices nothing changes: the ones that a check's own activities are for.
SCENE = [f"scene-{number}" for number in range(7)]


def insider_id(number: int) -> str:
    return f"user-{number}"


def udid_of(insider: str) -> str:
    """The device of a user; any name does for a user that is not known."""
    return f"phone-of-{insider}"


def devices() -> list[dict]:
    """Lines of a device import: most can be started on, some cannot."""
    names = [insider_id(number) for number in range(COUNT)] + SCENE
    return [device(number, name) for number, name in enumerate(names)]


def device(number: int, name: str) -> dict:
    is_fine = name in SCENE
    return {
        "insider_id": name,
        "udid": udid_of(name),
        "platform": "ios",
        "os_version": "18.1" if is_fine or number % 10 != 7 else "17.1",
        "push_opt_in": is_fine or number % 10 != 8,
        "gdpr_consent": is_fine or number % 10 != 9,
        "environment": "production",
        "push_to_start_token": f"{number:064x}",
    }
