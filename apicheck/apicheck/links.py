"""Links between operations, for chains of calls."""

from pathlib import Path

import yaml

_FILE = Path(__file__).with_name("links.yaml")


def apply(document: dict) -> None:
    """Puts the links into the document. Raises KeyError for a reply that it does not have."""
    for path, methods in yaml.safe_load(_FILE.read_text()).items():
        for method, replies in methods.items():
            for status, links in replies.items():
                document["paths"][path][method]["responses"][status]["links"] = links
