"""Fanfare's benchmark: every figure that has a target, measured in one run beside h2load and nginx on the same machine."""
