#!/usr/bin/env bash
# Counts the instructions of the hot path's steps with callgrind and compares them with Benchmarks/HotPath/baseline.txt.
#
#   instructions.sh            fails when a step differs from the baseline by more than 3 %
#   instructions.sh --update   writes the baseline anew
#
# A step's number is the difference between 8,000 and 4,000 repetitions, divided by 4,000: start and set-up fall out of
# it. Counts depend on the compiler, so a baseline holds for the one that it names; with another one nothing is compared.
set -euo pipefail
cd "$(dirname "$0")/.."

baseline=Benchmarks/HotPath/baseline.txt
program=.build/release/hot-path
tolerance=3
compiler="$("${SWIFT:-swift}" --version 2>/dev/null | grep -oE 'Swift version [0-9.]+' | head -n 1) $(uname -m)"

if ! command -v valgrind >/dev/null; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends valgrind >/dev/null
    else
        echo "valgrind is missing. Install it with: sudo apt-get install -y valgrind" >&2
        exit 1
    fi
fi

"${SWIFT:-swift}" build -c release --static-swift-stdlib -j "${JOBS:-$(nproc)}" --product hot-path >&2

# Older versions of valgrind stumble over the debug information of newer compilers, and counting needs none.
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT
strip --strip-debug -o "$plain" "$program"
chmod +x "$plain"

count() {
    local log
    log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$plain" "$1" "$2" 2>&1)
    awk '/Collected/ { print $NF }' <<<"$log"
}

steps=(push-encode answer-decode roster-page-decode fan-out json-slice)
new="$compiler"
for step in "${steps[@]}"; do
    # A page has 868 devices, so its repetitions come in whole pages: 5 pages against 10.
    case $step in
        roster-page-decode | fan-out) less=4340 more=8680 ;;
        *) less=4000 more=8000 ;;
    esac
    new+=$'\n'"$step $((($(count "$step" $more) - $(count "$step" $less)) / (more - less)))"
done

if [ "${1:-}" = --update ]; then
    printf '%s\n' "$new" >"$baseline"
    cat "$baseline"
    exit 0
fi

if [ "$(head -n 1 "$baseline")" != "$compiler" ]; then
    echo "Instruction counts: the baseline is of \"$(head -n 1 "$baseline")\", this is \"$compiler\"; nothing compared."
    exit 0
fi

awk -v tolerance="$tolerance" '
    NR == FNR { if (FNR > 1) expected[$1] = $2; next }
    FNR > 1 {
        change = ($2 - expected[$1]) / expected[$1] * 100
        bad = change > tolerance || change < -tolerance
        printf "%-20s %7d instructions, baseline %7d, %+.1f %%%s\n", $1, $2, expected[$1], change, bad ? "  <- too far" : ""
        if (bad) failed = 1
    }
    END {
        if (failed) {
            print "The hot path has changed by more than " tolerance " %. If that is meant, and measured: make instructions BASELINE=1"
            exit 1
        }
    }' "$baseline" <(printf '%s\n' "$new")
