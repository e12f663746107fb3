#!/usr/bin/env bash
# Plays several processes against time, with fixed seeds: chaos, order tracking, siege and fuzz, each in its short form.
#
#     faults.sh EXECUTABLE
#
# Each lane waits more than it works, so the lanes run side by side, with ports of their own.
# ShellCheck cannot see that `side_by_side` calls the lanes.
# shellcheck disable=SC2317
set -uo pipefail
executable=$(realpath "$1")
cd "$(dirname "$0")/.." || exit
# shellcheck source=scripts/parts.sh
. scripts/parts.sh

# With this seed the short chaos has nine kinds of faults, kills among them.
seed=${SEED:-307}
# The attacks of the short siege.
attacks=devices,activities,listings,crowd,idle,swarm,leaving,slow,readers,handshakes,uploads,waiting,due,bodies,hostile,signatures,webhooks,strangers

# play NAME MODULE ARGUMENTS...
play() {
    local name=$1 module=$2
    shift 2
    run "$name" in_folder chaos timeout --kill-after=30 600 python3 -m "$module" "$@" --binary "$executable"
}

chaos_lane() {
    local failed=0
    export FANFARE_CHAOS_PORTS=10000
    play "Chaos" harness --quick --seed "$seed" || failed=1
    # Upgrades from the same version and back, on a store that begins in the first layout.
    play "Rolling upgrade" harness --quick --seed "$seed" --upgrade-from "$executable" || failed=1
    play "Chaos with a mixed segment" mixed --devices 2000 --seed 7 || failed=1
    play "Chaos in a match" match --devices 800 --seed 5 || failed=1
    return "$failed"
}

attack_lane() {
    local failed=0
    export FANFARE_CHAOS_PORTS=15000
    play "Order tracking under faults" orders --quick --seed 21 || failed=1
    play "Siege" attack --quick --untimed --seed 11 --only "$attacks" || failed=1
    play "Fuzz of the routes" fuzz --seed 3 --cases 1500 --minutes 0.4 || failed=1
    return "$failed"
}

failed=0
side_by_side chaos_lane attack_lane || failed=1
finish "$failed"
