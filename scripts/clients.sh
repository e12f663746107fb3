#!/usr/bin/env bash
# Generates clients from the description that a gateway serves, and drives a life through one: apicheck/README.md.
#
#     clients.sh EXECUTABLE
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/environment.sh .build-clients apicheck/clients/requirements.txt
executable=$(realpath "$1")
cd apicheck
exec ../.build-clients/bin/python -m clients --binary "$executable"
