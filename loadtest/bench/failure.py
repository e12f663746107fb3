"""What a measurement stumbles over."""


class BenchFailure(Exception):
    """A measurement that could not be made. Its text is a sentence for people."""
