#!/usr/bin/env python3
"""Writes the bill of materials of an executable to standard output, in CycloneDX's JSON.

    scripts/sbom.py EXECUTABLE > fanfare.cdx.json

In it are the Swift packages that the sources resolve to, Swift's runtime, and what is the system's: the libraries that the
executable is linked with, and the script that it holds for the console's plots, as they are here. Run after a build, in whose folder the packages' licences lie.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
LICENCES = [("Apache License", "Apache-2.0"), ("MIT License", "MIT"), ("Permission is hereby granted, free of charge", "MIT")]


def output(*words):
    return subprocess.run(words, text=True, capture_output=True, check=True).stdout


def component(name, version, purl, licence=None, **more):
    found = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}
    if licence:
        found["licenses"] = [{"license": {"id": licence}}]
    return found


def licence(folder):
    """By its first words, in the SPDX's name; nothing where they are not known."""
    for file in sorted(folder.glob("LICENSE*")):
        text = file.read_text(errors="replace")
        return next((name for words, name in LICENCES if words in text), None)
    return None


def packages():
    """The Swift packages, as they were resolved."""
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        place = re.fullmatch(r"https://([^/]+)/([^/]+)/(.+?)(?:\.git)?", pin["location"])
        version = pin["state"].get("version") or pin["state"]["revision"]
        yield component(
            f"{place[2]}/{place[3]}", version, f"pkg:swift/{place[1]}/{place[2]}/{place[3]}@{version}",
            licence(ROOT / ".build/checkouts" / place[3]),
            externalReferences=[{"type": "vcs", "url": pin["location"]}])


def runtime():
    version = re.search(r"Swift version ([0-9.]+)", output(os.environ.get("SWIFT", "swift"), "--version"))[1]
    yield component("swift", version, f"pkg:generic/swift@{version}", "Apache-2.0",
                    description="Swift's standard library, Foundation and runtime, linked into the executable")


def libraries(executable):
    """The system's packages with the libraries that the executable is linked with."""
    paths = re.findall(r"=> (/\S+)", output("ldd", executable))
    names = {"libjs-chart.js"}
    for path in paths:
        # The package knows the file by one of its names.
        candidates = {path, os.path.realpath(path), path.removeprefix("/usr"), os.path.realpath(path).removeprefix("/usr")}
        found = subprocess.run(["dpkg", "-S", *sorted(candidates)], text=True, capture_output=True).stdout
        if not found:
            sys.exit(f"sbom.py: no package has {path}")
        names.add(found.split(": ")[0].split(", ")[0])
    system = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M))["ID"]
    for name in sorted(names):
        package, version, architecture = output("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}", name).split()
        yield component(package, version, f"pkg:deb/{system}/{package}@{version}?arch={architecture}")


def document(executable):
    said = output(executable, "--version").strip()
    version, _, commit = said.partition(" ")
    name = f"pkg:generic/fanfare@{version}"
    built = int(os.environ.get("SOURCE_DATE_EPOCH") or os.stat(executable).st_mtime)
    parts = [*packages(), *runtime(), *libraries(executable)]
    main = {"type": "application", "bom-ref": name, "name": "fanfare", "version": version, "purl": name}
    if commit:
        main["properties"] = [{"name": "fanfare:commit", "value": commit.strip("()")}]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([said, built, parts])).urn,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(built)), "component": main},
        "components": parts,
        "dependencies": [{"ref": name, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: sbom.py EXECUTABLE")
    json.dump(document(sys.argv[1]), sys.stdout, indent=1)
    print()
