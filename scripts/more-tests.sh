#!/usr/bin/env bash
# The part of `make test` that is not one run of the test runner: the same suites on a Redis Cluster, a short run of chaos,
# and the tests of what is written in Python. Says a line for each; what they print is shown when
# one fails. The tests must have been built.
set -uo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    local name=$1 started=$SECONDS
    shift
    printf '%s ...\n' "$name"
    if ! "$@" >"$log" 2>&1; then
        grep -vE '^(◇|✔)' "$log" | tail -n 300
        printf '%s failed after %d s: %s\n' "$name" $((SECONDS - started)) "$*" >&2
        exit 1
    fi
    printf '%s: passed in %d s\n' "$name" $((SECONDS - started))
}

in_folder() {
    local folder=$1
    shift
    (cd "$folder" && exec "$@")
}

fanfare=$PWD/.build/debug/fanfare
run "Tests of the benchmark" in_folder loadtest python3 -m unittest -b
run "Tests of the chaos harness" in_folder chaos python3 -m unittest -b
run "Chaos, in short" in_folder chaos python3 -m harness --quick --binary "$fanfare" ${SEED:+--seed "$SEED"}
run "Store and gateway on a Redis Cluster" \
    env FANFARE_TEST_REDIS=cluster "${SWIFT:-swift}" test --skip-build --disable-xctest --no-parallel \
    --filter 'GatewayStoreTests|GatewayTests'
