"""Calls operations of the generated client, and holds each reply against both generators' types."""

import datetime
import importlib
import json


class LifeError(Exception):
    """A reply is not what it should be."""


def expect(is_so: bool, what: str) -> None:
    if not is_so:
        raise LifeError(what)


def ahead(**span) -> datetime.datetime:
    """A time that far from now."""
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**span)


class Caller:
    """Sends as one key's owner. Counts which operations it has called."""

    def __init__(self, package: str, client, typed, called: set):
        """`typed`: the module of typed models. `called`: what callers have called together."""
        self._package, self._client, self._typed, self._called = package, client, typed, called

    def __call__(self, operation: str, wanted: str | None, **arguments):
        """`operation`: its folder and its name. `wanted`: the model of the reply that is expected, None for a text."""
        self._check_body(arguments.get("body"))
        answer = self._function(operation, "sync_detailed")(client=self._client, **arguments)
        return self._checked(operation, wanted, answer)

    async def later(self, operation: str, wanted: str, **arguments):
        answer = await self._function(operation, "asyncio_detailed")(client=self._client, **arguments)
        return self._checked(operation, wanted, answer)

    def refused(self, operation: str, status: int, code: str, **arguments):
        """The same for a call that is refused."""
        answer = self._function(operation, "sync_detailed")(client=self._client, **arguments)
        expect(answer.status_code == status, f"{operation}: {answer.status_code} {answer.content!r}")
        error = self._checked(operation, "Error", answer, is_refusal=True)
        expect(error.code == code, f"{operation}: {error.code}, not {code}")
        return error

    def _check_body(self, body) -> None:
        """A body of the client is one of the typed models too, which writes the same."""
        if body is None or not hasattr(body, "to_dict"):
            return
        written = getattr(self._typed, type(body).__name__).model_validate(body.to_dict())
        again = json.loads(written.model_dump_json(by_alias=True, exclude_unset=True))
        expect(again.keys() == body.to_dict().keys(), f"{type(body).__name__}: {again} is not {body.to_dict()}")

    def _function(self, operation: str, name: str):
        return getattr(importlib.import_module(f"{self._package}.api.{operation}"), name)

    def _checked(self, operation: str, wanted: str | None, answer, is_refusal: bool = False):
        expect((answer.status_code < 300) != is_refusal, f"{operation}: {answer.status_code} {answer.content!r}")
        self._called.add(operation.split(".")[1])
        value = answer.parsed
        if wanted is None:
            expect(isinstance(value, str) and value != "", f"{operation}: no text")
            return value
        expect(type(value).__name__ == wanted, f"{operation}: {value!r} is no {wanted}")
        expect(not value.additional_properties, f"{operation}: {value.additional_properties} are not described")
        getattr(self._typed, wanted).model_validate_json(answer.content)
        return value
