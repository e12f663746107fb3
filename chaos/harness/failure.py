"""What a run stumbles over."""


class ChaosFailure(Exception):
    """A run that could not be carried out; it says nothing about the gateway. Its text is a sentence for people."""
