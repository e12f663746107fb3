#!/usr/bin/env bash
# Does what the README's "A first broadcast of your own" tells a new user to do, word by word, and looks at the result: so
# the README stays true. Only the executable, the ports and the folder differ, so that it disturbs nobody.
#
#     readme-walk.sh FANFARE
set -uo pipefail
cd "$(dirname "$0")/.."

for command in curl jq; do
    command -v "$command" >/dev/null || { echo "$command is missing; scripts/setup.sh test installs it" >&2; exit 1; }
done
fanfare=$(realpath "$1")
place=$(mktemp -d /tmp/fanfare-readme-XXXXXX)

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

gateway_port=$(free_port)
mock_port=$(free_port)
{
    # As in a terminal: jobs have numbers, aliases work.
    echo 'set -m; shopt -s expand_aliases'
    # Whatever happens, nothing stays behind.
    echo 'trap '\''kill $(jobs -p) 2>/dev/null; wait'\'' EXIT'
    awk '/^## / { inside = ($0 == "## A first broadcast of your own") } inside && /^```/ { fence = !fence; count++; next }
        inside && fence && count == 1' README.md |
        sed -e '/^make build$/d' -e "s#\.build/release/fanfare#$fanfare#" -e "s#localhost:8080#localhost:$gateway_port#g" \
            -e "s#--port 2197#--port $mock_port#" -e "s#/tmp/apns#$place/apns#g"
} >"$place/walk.sh"
if [ "$(wc -l <"$place/walk.sh")" -lt 10 ]; then
    echo "the README has no walk any more" >&2
    exit 1
fi

(cd "$place" && env -u FANFARE_CONFIG FANFARE_HTTP_PORT="$gateway_port" timeout 120 bash walk.sh) >"$place/out" 2>&1
status=$?

fail() {
    cat "$place/walk.sh" "$place/out" >&2
    echo "the README's walk failed: $*" >&2
    rm -rf "$place"
    exit 1
}
[ "$status" -eq 0 ] || fail "it ended with status $status"
grep -q '"error"' "$place/out" && fail "a call was refused"
events=$(python3 - "$place/apns/ledger.ndjson" <<'END'
import base64, json, sys

events = []
for line in open(sys.argv[1]):
    entry = json.loads(line)
    payload = next(entry[key] for key in entry if key.startswith("payload"))
    events.append(json.loads(base64.b64decode(payload))["aps"]["event"])
print(" ".join(events))
END
) || fail "the provider has no ledger"
echo "pushed: $events"
[[ "$events" == start*update*end* ]] || fail "the pushes were: $events"
rm -rf "$place"
