#!/usr/bin/env bash
# Checks the Python client's types, and that the client for threads is that for asyncio, and runs its tests against a gateway.
#
#     client-python.sh EXECUTABLE
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/environment.sh .build-client-python clients/python/requirements.txt
FANFARE_BINARY=$(realpath "$1")
export FANFARE_BINARY PYTHONDONTWRITEBYTECODE=1
environment=$PWD/.build-client-python
cd clients/python
"$environment/bin/python" tools/make_sync.py --check
"$environment/bin/mypy" --cache-dir "$environment/mypy"
exec "$environment/bin/pytest" -q -p no:cacheprovider
