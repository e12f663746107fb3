"""Whether an answer is one that a gateway may give. Pure."""

import json

#: The only failures of the gateway itself, and of what they tell.
UNAVAILABLE = {"STORE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN"}
#: Answers to what is no request of any operation.
_OF_ANY_REQUEST = frozenset((400, 401, 402, 403, 404, 405, 406, 408, 409, 411, 413, 414, 415, 417, 422, 426, 429, 431, 503, 505))


def complaints(answer, secrets, operation=None, method=None):
    """Sentences on what is wrong with an answer.

    - secrets: bytes that stand only in what belongs to another tenant.
    - operation: the description's, when the request was for one.
    """
    for secret in secrets:
        if secret in answer.body or secret in answer.head:
            yield f"it tells what is another tenant's: {secret.decode(errors='replace')}"
    status = answer.status
    if status >= 500 and (status != 503 or answer.code not in UNAVAILABLE):
        yield f"{status} is no answer of a gateway that is well"
    elif operation and status not in operation.statuses and status not in _OF_ANY_REQUEST:
        yield f"{operation} does not say that it may answer {status}"
    if not answer.header("X-Request-Id"):
        yield f"{status} has no X-Request-Id"
    if status >= 400 and method != "HEAD":
        yield from _refusal(answer)
    elif status < 300 and "json" in (answer.header("Content-Type") or "") and method != "HEAD":
        try:
            json.loads(answer.body)
        except ValueError:
            yield f"{status} is no JSON"


def _refusal(answer):
    body = answer.object
    if not (isinstance(body.get("error"), str) and body["error"] and isinstance(body.get("code"), str) and body["code"]):
        yield f"{answer.status} has no error and code"
    if answer.status in (429, 503) and not answer.header("Retry-After"):
        yield f"{answer.status} does not say when to come again"
