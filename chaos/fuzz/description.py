"""What the gateway's own description says it answers, read from `GET /openapi.json`. Pure."""

import dataclasses

_METHODS = ("get", "put", "post", "delete", "patch")


@dataclasses.dataclass
class Operation:
    method: str
    path: str
    #: Of path, query and header: (place, name, schema, is_required).
    parameters: list
    #: By media type: schema, and values that the description shows.
    bodies: dict
    statuses: frozenset
    #: `api`, `sdk` or `none`: whose key opens it.
    key: str

    def __str__(self):
        return f"{self.method} {self.path}"


class Description:
    def __init__(self, document):
        self.document = document
        self.operations = [self._operation(method, path, item)
                           for path, item in document["paths"].items() for method in _METHODS if method in item]

    def resolved(self, node):
        """Without a reference at its top."""
        while isinstance(node, dict) and "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def _operation(self, method, path, item):
        node = item[method]
        parameters = [self.resolved(each) for each in [*item.get("parameters", ()), *node.get("parameters", ())]]
        content = self.resolved(node.get("requestBody", {})).get("content", {})
        bodies = {media: (body.get("schema", {}), [self.resolved(example).get("value") for example in
                                                   body.get("examples", {}).values()])
                  for media, body in content.items()}
        security = {name for each in node.get("security", ()) for name in each}
        key = "api" if any(name.startswith("Api") for name in security) else \
            "sdk" if any(name.startswith("Sdk") for name in security) else "none"
        return Operation(
            method.upper(), path,
            [(each["in"], each["name"], each.get("schema", {}), each.get("required", False)) for each in parameters],
            bodies, frozenset(int(status) for status in node["responses"] if status.isdigit()), key)
