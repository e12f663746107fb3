"""Fanfare's benchmark: every figure of the README, measured in one run beside h2load and nginx on the same machine."""
