"""Thousands of connections that end in the same moment: the network of whoever had them is gone."""

from attack import bounds

from .idle import hold
from .swarm import ADDRESSES

NAME = "leaving"
TITLE = "idle connections from eight addresses that all end at once"
DESCRIPTORS = bounds.ALL_DESCRIPTORS
LONGEST = bounds.ALL_AT_ONCE


def play(siege, _):
    hold(siege, siege.size(16_000, 900), sources=ADDRESSES, at_once=True)
