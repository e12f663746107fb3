#!/usr/bin/env bash
# Sends pushes with other libraries to the mock providers: apicheck/README.md.
#
#     push-libraries.sh EXECUTABLE
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/environment.sh .build-libraries apicheck/libraries/requirements.txt
executable=$(realpath "$1")
cd apicheck
exec ../.build-libraries/bin/python -W ignore::DeprecationWarning -m libraries --binary "$executable"
