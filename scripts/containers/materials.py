"""Looks at the bill of materials that the package brings."""

import gzip
import json
import re
import subprocess

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def findings(root, executable):
    """What is wrong, a line each: against CycloneDX's schema, the libraries that the executable needs, and its version."""
    text = gzip.decompress((root / "usr/share/doc/fanfare/fanfare.cdx.json.gz").read_bytes()).decode()
    if error := JsonStrictValidator(SchemaVersion.V1_5).validate_str(text):
        yield f"bill of materials: {error}"
        return
    bill = json.loads(text)
    names = {part["name"] for part in bill["components"]}
    status = (root / "var/lib/dpkg/status").read_text()
    depends = re.search(r"^Package: fanfare\n(?:.*\n)*?Depends: (.*)", status, re.M)[1]
    needed = {name.split()[0] for name in depends.split(", ")} - {"adduser", "ca-certificates", "procps"}
    needed |= {"swift", "apple/swift-nio", "hummingbird-project/hummingbird"}
    for name in sorted(needed - names):
        yield f"bill of materials: {name} is not in it"
    for part in bill["components"]:
        if part["purl"].startswith("pkg:swift/") and "licenses" not in part:
            yield f"bill of materials: no licence of {part['name']}"
    main = bill["metadata"]["component"]
    said = subprocess.run([executable, "--version"], text=True, capture_output=True, check=True).stdout.strip()
    commit = next((one["value"] for one in main.get("properties", [])), None)
    if said != main["version"] + (f" ({commit})" if commit else ""):
        yield f"bill of materials: it is of {main['version']} ({commit}), the executable of {said}"
