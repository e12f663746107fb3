"""Users and their phones, all drawn from the seed."""

import json
import random


class People:
    """So many users with a phone each. Of twenty phones one cannot be reached, in one way or another."""

    def __init__(self, count, seed):
        numbers = random.Random(f"{seed} people")
        self.run = f"{numbers.getrandbits(32):08x}"
        self.count = count
        self.flaws = {}
        for number in range(count):
            draw = numbers.random()
            if draw < 0.02:
                self.flaws[number] = "dead"
            elif draw < 0.025:
                self.flaws[number] = "bad"
            elif draw < 0.04:
                self.flaws[number] = "no consent"
            elif draw < 0.05:
                self.flaws[number] = "Live Activity dead"

    def insider_id(self, number):
        return f"user-{number:06d}"

    def udid(self, number):
        return f"{number:08X}-0000-4000-8000-{number:012X}"

    def pair(self, number):
        return {"insider_id": self.insider_id(number), "udid": self.udid(number)}

    def start_token(self, number):
        return f"aa{self.run}{number:08x}" + "0" * 46

    def update_token(self, activity, number):
        """The token of the Live Activity of the run's nth activity on a phone."""
        mark = "cd" if self.flaws.get(number) == "Live Activity dead" else "bb"
        return f"{mark}{self.run}{number:08x}{activity:06x}" + "0" * 40

    def system_id(self, activity, number):
        """The system's id of that Live Activity. Every second app reports none."""
        return None if number % 2 else f"{number:08X}-0000-4000-8001-{activity:012X}"

    @staticmethod
    def has_one_live_activity(number):
        """True for one phone in six, which is in a single activity. Its reports by type alone are unambiguous."""
        return number % 6 == 5

    def is_eligible(self, number):
        return self.flaws.get(number) != "no consent"

    def can_show_live_activities(self, number):
        return self.flaws.get(number) not in ("dead", "bad", "no consent")

    def keeps_live_activities(self, number):
        """Whether the token of its Live Activity stays good, too."""
        return self.can_show_live_activities(number) and self.flaws.get(number) != "Live Activity dead"

    def dead_tokens(self, activities=400):
        """Tokens that the provider answers with 410."""
        dead = [self.start_token(number) for number, flaw in self.flaws.items() if flaw == "dead"]
        live_activities = [self.update_token(activity, number) for number, flaw in self.flaws.items() if flaw == "Live Activity dead"
                 for activity in range(activities)]
        return dead + live_activities

    def bad_tokens(self):
        """Tokens that the provider answers with 400."""
        return [self.start_token(number) for number, flaw in self.flaws.items() if flaw == "bad"]

    def write(self, path):
        """As `fanfare devices import` reads them."""
        with open(path, "w", encoding="ascii") as file:
            for number in range(self.count):
                record = self.pair(number) | {
                    "platform": "ios", "os_version": "18.1", "push_opt_in": True,
                    "gdpr_consent": self.is_eligible(number), "environment": "production",
                    "push_to_start_token": self.start_token(number)}
                file.write(json.dumps(record) + "\n")
