"""What a check knows to exist, from the replies that it got."""

import random


class Inventory:
    """The activities by the state they should be in, and the broadcasts."""

    # The newest ones are the likeliest to be alive.
    NEWEST = 20

    def __init__(self, choice: random.Random):
        self.choice = choice
        self.types: dict[str, str] = {}
        self.users: dict[str, list[str]] = {}
        self.registered: list[str] = []
        self.started: list[str] = []
        self.broadcasts: list[str] = []

    def knows(self, activity) -> bool:
        return activity in self.types

    def stands(self, activity: str, activity_type: str, users: list[str]) -> None:
        """An activity that is started and not for ending."""
        self.types[activity] = activity_type
        self.users[activity] = users

    def registered_now(self, activity: str, activity_type: str, users: list[str]) -> None:
        self.types[activity] = activity_type
        self.users[activity] = users
        self.registered.append(activity)

    def started_now(self, activity: str) -> None:
        if activity in self.registered:
            self.registered.remove(activity)
            self.started.append(activity)

    def ended_now(self, activity: str) -> None:
        for those in (self.registered, self.started):
            if activity in those:
                those.remove(activity)

    def pick(self, *, started: bool) -> str | None:
        """An activity in the state, or one in the other when there is none."""
        first, second = (self.started, self.registered) if started else (self.registered, self.started)
        those = first or second
        return self.choice.choice(those[-self.NEWEST:]) if those else None

    def any(self) -> str | None:
        return self.choice.choice(list(self.types)) if self.types else None

    def broadcast(self) -> str | None:
        return self.choice.choice(self.broadcasts) if self.broadcasts else None
