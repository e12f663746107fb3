#!/usr/bin/env bash
# The tests of `make test`, once they are built: what needs no server side by side, then chaos in short and the clients in
# three rows, and what needs servers in three lanes at a time. Says a line for each part; what a part prints is shown when it fails.
#
# In a lane one test runs after the other: each has servers of its own, and mostly waits for them. Three lanes keep two
# cores busy, and take little more than one.
# What a trap or `run` calls is not seen to be called.
# shellcheck disable=SC2317
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# Suites that start servers. Whatever is not named here runs among those that start none.
gateway='^GatewayTests\.'
clients='^(PushClient|ProviderToken|RedisClient|MockAPNs|MockFCM)Tests\.'
store='^(GatewayStore|LoadTest)Tests\.'
commands='^FanfareTests\.'
# The library for iPhones, whose last tests run a gateway.
device='^FanfareDeviceTests\.'
# What a cluster can change: every script's keys, and what is made of several scripts.
cluster='^GatewayStoreTests\.|^GatewayTests\.(WholeLife|TakeOver|ExactCounts|StoreOutage|Race|StartLock|Targeting|Sync|Tap'
cluster+='|Schedule|Expiry|CatchUp|TopicLife|TopicChange|DeviceInitiatedActivity|Segment|ActivityReading|TenantSeparation|BroadcastEvent|EventStream|UserErasure)Tests\b'
# What TLS can change: commands, scripts, failures, and slots that move.
encrypted='^RedisClientTests\.(ClientCommand|ClientFailure|ClientScript)Tests\b|^RedisClientTests\.ClusterTests/commandsFollow'
# The seed of the short chaos: it has nine kinds of faults, kills among them.
seed=${SEED:-307}
# What the short siege plays.
attacks=devices,activities,listings,crowd,idle,swarm,leaving,slow,readers,handshakes,uploads,waiting,bodies,hostile,signatures,webhooks,strangers

logs=$(mktemp -d)
lanes=()
end() {
    # A lane is a process group: what it has started ends with it.
    for lane in ${lanes[@]+"${lanes[@]}"}; do kill -- "-$lane" 2>/dev/null; done
    rm -rf "$logs"
}
trap end EXIT
trap 'exit 130' INT TERM

run() {
    local name=$1 started=$SECONDS log
    shift
    log=$logs/${name//[^a-zA-Z]/-}
    printf '%s ...\n' "$name"
    if ! "$@" >"$log" 2>&1; then
        grep -vE '^(◇|✔)' "$log" | tail -n 300
        printf '%s failed after %d s: %s\n' "$name" $((SECONDS - started)) "$*" >&2
        # What is said once more at the end: the tests' own lines, or the last ones where there are none of these.
        {
            printf '%s failed:\n' "$name"
            grep -E '^(✘|↳|FAIL:|ERROR:)' "$log" | grep -vE '^✘ (Suite|Test run)' || tail -n 10 "$log"
        } >>"$logs/failures"
        return 1
    fi
    printf '%s: passed in %d s. %s\n' "$name" $((SECONDS - started)) \
        "$(grep -oE 'Test run with .* suites' "$log" | tail -n 1)"
}

in_folder() {
    local folder=$1
    shift
    (cd "$folder" && exec "$@")
}

# The tests by themselves: of two `swift test` that begin at the same time one may find the build's database locked.
suites() {
    .build/debug/fanfarePackageTests.xctest --testing-library swift-testing "$@"
}

# Three lanes that take about the same time. In each all parts run, also after one that failed.
first_lane() {
    local failed=0
    run "Gateways, N to Z" suites --no-parallel --filter "${gateway}[N-Z]" || failed=1
    run "Clients of Redis and of the provider" suites --no-parallel --filter "$clients" || failed=1
    return "$failed"
}

second_lane() {
    local failed=0
    run "Gateways, A to M" suites --no-parallel --filter "${gateway}[A-M]" || failed=1
    run "Store, load" suites --no-parallel --filter "$store" || failed=1
    FANFARE_DEVICE_LIVES=500 run "Library for iPhones" suites --no-parallel --filter "$device" || failed=1
    return "$failed"
}

third_lane() {
    local failed=0
    FANFARE_TEST_REDIS=cluster run "Store and gateways on a Redis Cluster" \
        suites --no-parallel --filter "$cluster" || failed=1
    run "Command line" suites --no-parallel --filter "$commands" || failed=1
    FANFARE_TEST_REDIS=tls run "Client of Redis over TLS" suites --no-parallel --filter "$encrypted" || failed=1
    return "$failed"
}

# A program of the chaos harness on the executable, with ports of the row's own.
chaos() {
    local name=$1 module=$2
    shift 2
    run "$name" in_folder chaos python3 -m "$module" "$@" --binary "$PWD/.build/debug/fanfare"
}

# Each of the three rows waits more than it works.
first_row() {
    local failed=0
    export FANFARE_CHAOS_PORTS=10000
    chaos "Chaos, in short" harness --quick --seed "$seed" || failed=1
    # The same version forth and back, on a store in the first layout, which is upgraded in the end.
    chaos "A rolling upgrade, in short" harness --quick --seed "$seed" --upgrade-from "$PWD/.build/debug/fanfare" \
        || failed=1
    chaos "Chaos with a mixed segment, in short" mixed --devices 2000 --seed 7 || failed=1
    chaos "Chaos in a match, in short" match --devices 800 --seed 5 || failed=1
    return "$failed"
}

second_row() {
    local failed=0
    export FANFARE_CHAOS_PORTS=15000
    chaos "Order tracking under faults, in short" orders --quick --seed 21 || failed=1
    chaos "Siege, in short" attack --quick --untimed --seed 11 --only "$attacks" || failed=1
    chaos "Fuzz of the routes, in short" fuzz --seed 3 --cases 1500 --minutes 0.4 || failed=1
    return "$failed"
}

# The clients: each runs a gateway of its own.
third_row() {
    local failed=0
    run "Generated clients" ./scripts/clients.sh .build/debug/fanfare || failed=1
    run "Python client" ./scripts/client-python.sh .build/debug/fanfare || failed=1
    # A seed, lives against a model, and lives against a gateway.
    FANFARE_BINARY=$PWD/.build/debug/fanfare run "Library for Android" ./clients/android/build.sh test 18 500 20 || failed=1
    run "ActivityKit's part of the library" ./scripts/check-activitykit.sh || failed=1
    return "$failed"
}

# Runs these side by side, each as a process group of its own, and waits for all.
side_by_side() {
    local failed=0 lane
    for lane in "$@"; do
        "$lane" &
        lanes+=($!)
    done
    for lane in "${lanes[@]}"; do wait "$lane" || failed=1; done
    lanes=()
    return "$failed"
}

failed=0
run "Documents" in_folder scripts python3 -m unittest -b || failed=1
run "Modules of the console" node --test Tests/Console/*.test.mjs || failed=1
run "Tests of the benchmark" in_folder loadtest python3 -m unittest -b || failed=1
run "Tests of the chaos harness" in_folder chaos python3 -m unittest -b || failed=1
run "Metrics, alerts and the dashboard" in_folder scripts python3 -m monitoring "$PWD/.build/debug/fanfare" || failed=1
run "Without servers" suites --skip "$gateway" --skip "$clients" --skip "$store" --skip "$commands" --skip "$device" || failed=1
set -m
side_by_side first_row second_row third_row || failed=1
side_by_side first_lane second_lane third_lane || failed=1
# Where whoever sees only the last lines of a run sees it.
[ ! -s "$logs/failures" ] || tail -n 40 "$logs/failures" >&2
exit $failed
