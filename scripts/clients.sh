#!/usr/bin/env bash
# Generates clients from the description that a gateway serves, and drives a life through one: apicheck/README.md.
#
#     clients.sh EXECUTABLE
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=apicheck/clients/requirements.txt
environment=.build-clients
# The package index is asked only for what is not installed yet.
if ! cmp -s "$wanted" "$environment/installed.txt"; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$environment/installed.txt"
fi
executable=$(realpath "$1")
cd apicheck
exec "../$environment/bin/python" -m clients --binary "$executable"
