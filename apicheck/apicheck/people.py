"""The users that the tenant of a check knows."""

COUNT = 40


def insider_id(number: int) -> str:
    return f"user-{number}"


def udid(number: int) -> str:
    return f"phone-{number}"


def udid_of(insider: str) -> str:
    """The device of a user; any name does for a user that is not known."""
    return insider.replace("user-", "phone-")


def devices() -> list[dict]:
    """Lines of a device import: most can be started on, some cannot."""
    return [
        {
            "insider_id": insider_id(number),
            "udid": udid(number),
            "platform": "ios",
            "os_version": "17.1" if number % 10 == 7 else "18.1",
            "push_opt_in": number % 10 != 8,
            "gdpr_consent": number % 10 != 9,
            "environment": "production",
            "push_to_start_token": f"{number:064x}",
        }
        for number in range(COUNT)
    ]
