"""A figure: what was measured, and what it should be."""

from dataclasses import dataclass, field

from .samples import Samples


@dataclass
class Figure:
    """One row of the table. `value` is the median of `samples`."""

    key: str
    title: str
    samples: Samples
    #: None: it is told for planning, and there is nothing that it should be.
    target: float | None
    #: "ratio", "s", "ms", "fine ms", "µs", "MB", "bytes", "rate" or "count".
    unit: str = "ratio"
    #: True when more is better; otherwise `target` is the most that it should be.
    more_is_better: bool = False
    #: What we would like to reach beyond the target.
    aim: float | None = None
    #: The group of the table of bounds in which it stands; None: it is in the table of figures alone.
    bound: str | None = None
    #: What it was before anybody looked after it.
    before: float | None = None
    #: Sentences that belong to the numbers.
    notes: list[str] = field(default_factory=list)
    #: Everything else that was measured on the way, for the JSON file.
    details: dict = field(default_factory=dict)
    #: Plots that are written beside the table.
    panels: list = field(default_factory=list)

    @property
    def value(self):
        return self.samples.median

    @property
    def is_met(self):
        """None without a target."""
        if self.target is None:
            return None
        return self.value >= self.target if self.more_is_better else self.value <= self.target

    def json(self):
        return {
            "key": self.key,
            "title": self.title,
            "value": rounded(self.value),
            "unit": self.unit,
            "target": self.target,
            "aim": self.aim,
            "more_is_better": self.more_is_better,
            "met": self.is_met,
            "bound": self.bound,
            "before": self.before,
            "samples": [rounded(value) for value in self.samples.values],
            "notes": self.notes,
            "details": rounded(self.details),
        }


def rounded(value):
    """Four digits, which is more than any of these measurements is worth."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value
