#!/usr/bin/env bash
# Runs the tests of `make test` after they were built, in four lanes, and prints a line for each part.
#
# In a lane one test runs after the other. Each test has servers of its own and mostly waits for them, so four lanes keep
# two cores busy.
# ShellCheck cannot see that `side_by_side` calls the lanes.
# shellcheck disable=SC2317
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=scripts/parts.sh
. scripts/parts.sh

# Suites that start servers. All others run in the part "Without servers".
gateway='^GatewayTests\.'
clients='^(PushClient|ProviderToken|RedisClient|MockAPNs|MockFCM)Tests\.'
store='^(GatewayStore|LoadTest)Tests\.'
commands='^FanfareTests\.'
# The library for iPhones, whose last tests run a gateway.
device='^FanfareDeviceTests\.'
# A cluster checks more than one server does: the keys of every script, and calls that need several scripts. So the store
# is tested on a cluster, and only what counts the commands of one server is tested on that. Gateways reach Redis through
# the store alone; a few whole lives on a cluster show that.
single='^GatewayStoreTests\.Page(Store|Reading)Tests\b|^LoadTestTests\.'
cluster='^GatewayStoreTests\.|^GatewayTests\.(WholeLife|StoreOutage|TopicLife|Segment|EventStream|UserErasure)Tests\b'
# TLS can change commands, scripts, failures, and slots that move.
encrypted='^RedisClientTests\.(ClientCommand|ClientFailure|ClientScript)Tests\b|^RedisClientTests\.ClusterTests/commandsFollow'

# Runs the test bundle itself: of two `swift test` that start together one may find the build's database locked.
suites() {
    .build/debug/fanfarePackageTests.xctest --testing-library swift-testing --no-parallel "$@" | plain_titles
}

# Passes the runner's output on, and fails if a test is announced with a raw control character: see `Escaped`.
plain_titles() {
    python3 -u -c '
import re, sys
control, raw = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]"), 0
for line in sys.stdin.buffer:
    if line.startswith("◇".encode()) and control.search(line):
        raw, line = raw + 1, control.sub(b"?", line)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
if raw:
    sys.exit(f"ERROR: {raw} tests are announced with raw control characters")'
}

first_lane() {
    local failed=0
    run "Gateways, N to Z" suites --filter "${gateway}[N-Z]" || failed=1
    run "Clients of Redis and of the provider" suites --filter "$clients" || failed=1
    return "$failed"
}

second_lane() {
    local failed=0
    run "Gateways, A to M" suites --filter "${gateway}[A-M]" || failed=1
    FANFARE_DEVICE_LIVES=500 run "Library for iPhones" suites --filter "$device" || failed=1
    run "Load test, and the store on one Redis" suites --filter "$single" || failed=1
    return "$failed"
}

third_lane() {
    local failed=0
    FANFARE_TEST_REDIS=cluster run "Store and gateways on a Redis Cluster" suites --filter "$cluster" || failed=1
    FANFARE_TEST_REDIS=tls run "Client of Redis over TLS" suites --filter "$encrypted" || failed=1
    return "$failed"
}

fourth_lane() {
    local failed=0
    run "Command line" suites --filter "$commands" || failed=1
    run "Python client" ./scripts/client-python.sh .build/debug/fanfare || failed=1
    # Arguments: a seed, lives against a model, and lives against a gateway.
    FANFARE_BINARY=$PWD/.build/debug/fanfare run "Library for Android" ./clients/android/build.sh test 18 500 20 || failed=1
    run "ActivityKit's part of the library" ./scripts/check-activitykit.sh || failed=1
    run "Documents" in_folder scripts python3 -m unittest -b || failed=1
    run "Modules of the console" node --test Tests/Console/*.test.mjs || failed=1
    run "Tests of the benchmark" in_folder loadtest python3 -m unittest -b || failed=1
    run "Tests of the chaos harness" in_folder chaos python3 -m unittest -b || failed=1
    run "Metrics, alerts and the dashboard" in_folder scripts python3 -m monitoring "$PWD/.build/debug/fanfare" || failed=1
    run "Without servers" suites --skip "$gateway" --skip "$clients" --skip "$store" --skip "$commands" --skip "$device" || failed=1
    return "$failed"
}

failed=0
side_by_side first_lane second_lane third_lane fourth_lane || failed=1
finish "$failed"
