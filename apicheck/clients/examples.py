"""Holds every example of the document against its schema, as validators of documents do."""

from openapi_schema_validator import OAS31Validator, oas31_format_checker


def problems(document: dict) -> tuple[int, list[str]]:
    """How many examples there are, and what is wrong with them."""
    count, found = 0, []
    for place, schema, value in _examples(document, "#"):
        count += 1
        # References within it lead to the components, which stand beside it.
        whole = {"components": document["components"], "allOf": [schema]}
        validator = OAS31Validator(whole, format_checker=oas31_format_checker)
        found += [f"{place}: {error.message}" for error in validator.iter_errors(value)]
    return count, found


def _examples(node, place: str):
    """Of bodies, parameters and headers; and those that stand within a schema: (place, schema, example)."""
    if isinstance(node, list):
        for index, each in enumerate(node):
            yield from _examples(each, f"{place}/{index}")
    if not isinstance(node, dict):
        return
    schema, examples = node.get("schema"), node.get("examples")
    if isinstance(examples, list):
        yield from ((f"{place}/examples", node, value) for value in examples)
    elif isinstance(examples, dict) and isinstance(schema, dict):
        yield from ((f"{place}/{name}", schema, example["value"]) for name, example in examples.items())
    if "example" in node and isinstance(schema, dict):
        yield f"{place}/example", schema, node["example"]
    for name, each in node.items():
        if name not in ("example", "examples"):
            yield from _examples(each, f"{place}/{name}")
