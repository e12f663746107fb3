# shellcheck shell=bash
# Functions for scripts that run a list of tests: sourced by tests.sh and faults.sh, from the repository's root.
# A part is one command with a name. Its output is shown only if it fails. Lanes run side by side, and the parts of a lane
# one after the other.
# ShellCheck cannot see that traps and `run` call functions.
# shellcheck disable=SC2317

logs=$(mktemp -d)
lanes=()

# Ends each lane as a process group, with everything that it started.
end_lanes() {
    for lane in ${lanes[@]+"${lanes[@]}"}; do kill -- "-$lane" 2>/dev/null; done
    rm -rf "$logs"
}
trap end_lanes EXIT
trap 'exit 130' INT TERM

# run NAME COMMAND...
run() {
    local name=$1 started=$SECONDS log
    shift
    log=$logs/${name//[^a-zA-Z]/-}
    printf '%s ...\n' "$name"
    if ! "$@" >"$log" 2>&1; then
        grep -vE '^(◇|✔)' "$log" | tail -n 300
        printf '%s failed after %d s: %s\n' "$name" $((SECONDS - started)) "$*" >&2
        # The summary at the end repeats the tests' own failure lines, or the last lines if there are none.
        {
            printf '%s failed:\n' "$name"
            grep -E '^(✘|↳|FAIL:|ERROR:)' "$log" | grep -vE '^✘ (Suite|Test run)' || tail -n 10 "$log"
        } >>"$logs/failures"
        echo failed >>"$logs/results"
        return 1
    fi
    echo passed >>"$logs/results"
    printf '%s: passed in %d s. %s\n' "$name" $((SECONDS - started)) \
        "$(grep -oE 'Test run with .* suites' "$log" | tail -n 1)"
}

in_folder() {
    local folder=$1
    shift
    (cd "$folder" && exec "$@")
}

# Runs functions side by side, each in a process group of its own, and waits for all of them.
side_by_side() {
    local failed=0 lane
    set -m
    for lane in "$@"; do
        "$lane" &
        lanes+=($!)
    done
    for lane in "${lanes[@]}"; do wait "$lane" || failed=1; done
    set +m
    lanes=()
    return "$failed"
}

# Repeats the failures at the end of the output, counts the parts, and exits with the status.
finish() {
    [ ! -s "$logs/failures" ] || tail -n 40 "$logs/failures" >&2
    printf '%d passed, %d failed\n' "$(grep -c passed "$logs/results")" "$(grep -c failed "$logs/results")"
    exit "$1"
}
