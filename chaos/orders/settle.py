"""After the load: the last words, what Redis keeps, and what is read of every broadcast that somebody was told of."""

import concurrent.futures
import time

from attack.wire import BrokenAnswer, Wire, request
from harness.evidence import ENDED
from harness.failure import ChaosFailure
from harness.inventory import Inventory
from harness.invariants import leftovers

from .scene import PATH, TENANTS, update, update_request

#: Requests that are sent ahead.
_AHEAD = 16
_READERS = 4
#: Every so many activities is left as the faults have left it.
_WITHOUT_A_LAST_WORD = 3


def last_words(scene):
    """Updates most activities once more. By activity, the number of what everybody shows then."""
    words = {}
    for tenant in range(TENANTS):
        for index, activity in enumerate(scene.activities[tenant]):
            if index % _WITHOUT_A_LAST_WORD:
                words |= _last_word(scene, tenant, activity, index % 2)
    return words


def _last_word(scene, tenant, activity, gateway):
    call = scene.journal.add_call(activity, activity.tokens, "last word")
    attempt = scene.journal.attempt(tenant, gateway, time.time())
    call.attempts.append(attempt)
    try:
        with Wire(scene.port(gateway), timeout=30) as wire:
            wire.send(update_request(scene.headers(tenant), update(activity, call.number)))
            answer = wire.answer()
    except (OSError, BrokenAnswer):
        answer = None
    if answer is None:
        scene.journal.odd(f"the last word was not answered: {call}")
        return {}
    attempt.answered(time.time(), answer.status, answer.object)
    if answer.status == 503:
        scene.journal.odd(f"the last word was refused: {call}")
    return {activity.id: call.number} if answer.status == 200 else {}


def wait_until_tidy(scene, timeout):
    """The first inventory in which all has ended and nothing is left behind, or the one when time was up."""
    deadline = time.monotonic() + timeout
    while True:
        inventory = Inventory(scene.redis)
        is_open = any(record.get("state") not in ENDED for record in inventory.records.values())
        if not is_open and not left_in(inventory) or time.monotonic() > deadline:
            return inventory
        time.sleep(0.3)


def left_in(inventory):
    """What is in Redis and should not be: sentences."""
    return [f"{key.name} ({key.type}, TTL {key.ttl} ms): {_problem(key)} {key.content}".rstrip()
            for key in inventory.keys if _problem(key)]


def _problem(key):
    if key.name.endswith(":held"):
        return "jobs that count as being sent"
    return leftovers.problem(key)


def read_records(scene):
    """By id, what each broadcast that somebody was told of reads: status and body."""
    wanted = [(scene.journal.activities[call.activity].tenant, identifier)
              for call in scene.journal.calls for identifier in call.broadcasts]
    wanted += [(scene.journal.activities[start.activity].tenant, start.attempt.broadcast)
               for start in scene.journal.starts if start.attempt.broadcast]
    with concurrent.futures.ThreadPoolExecutor(_READERS) as pool:
        parts = pool.map(lambda index: _read(scene, index % 2, wanted[index::_READERS]), range(_READERS))
    return {identifier: found for part in parts for identifier, found in part.items()}


def read_hours(scene):
    """By activity, how many updates its running hour has had."""
    found = {}
    for tenant, activities in enumerate(scene.activities):
        paths = [(tenant, activity.id) for activity in activities]
        for identifier, (status, body) in _read(scene, tenant % 2, paths, PATH).items():
            if status != 200:
                raise ChaosFailure(f"an activity reads {status} {body}")
            found[identifier] = body["updates_this_hour"]
    return found


def _read(scene, gateway, wanted, path=f"{PATH}/broadcasts"):
    found = {}
    try:
        with Wire(scene.port(gateway), timeout=30) as wire:
            for first in range(0, len(wanted), _AHEAD):
                some = wanted[first:first + _AHEAD]
                wire.send(b"".join(request("GET", f"{path}/{identifier}", scene.headers(tenant))
                                   for tenant, identifier in some))
                for _, identifier in some:
                    answer = wire.answer()
                    if answer is None:
                        raise ChaosFailure("a gateway closed the connection instead of reading a record")
                    found[identifier] = answer.status, answer.object
    except (OSError, BrokenAnswer) as error:
        raise ChaosFailure(f"the records could not be read: {error}") from error
    return found
