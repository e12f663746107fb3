"""Reads the data of events in the schemas that the document names for their types."""

import importlib

from .call import expect


def schemas(document: dict) -> dict:
    """The name of the schema of `data`, by the event's type."""
    data = document["components"]["schemas"]["Event"]["properties"]["data"]["x-data"]
    return {kind: value["$ref"].rsplit("/", 1)[1] for kind, value in data.items()}


def check(events: list, document: dict, package: str, typed) -> int:
    """Every event's data are what both generators make of its schema. Returns how many types there were."""
    names, models = schemas(document), importlib.import_module(f"{package}.models")
    for event in events:
        name = names[event.type_]
        data = event.data.to_dict()
        value = getattr(models, name).from_dict(data)
        expect(not value.additional_properties, f"{event.type_}: {value.additional_properties} are not described")
        getattr(typed, name).model_validate(data)
    return len({event.type_ for event in events})
