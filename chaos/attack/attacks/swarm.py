"""As `idle`, from many addresses, none of which has more than it may."""

from attack import bounds

from .idle import hold

NAME = "swarm"
TITLE = "idle connections from eight addresses, more than a gateway has"
DESCRIPTORS = bounds.ALL_DESCRIPTORS
#: Of as many clients.
ADDRESSES = [f"127.0.1.{number}" for number in range(1, 9)]


def play(siege, _):
    hold(siege, siege.size(19_000, 900), sources=ADDRESSES)
