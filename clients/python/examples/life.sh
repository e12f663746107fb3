#!/bin/sh
# One short life of a Live Activity, with curl and jq: registered, started, updated, ended.
#
#   export FANFARE_URL=http://localhost:8080 FANFARE_API_KEY=ffk_…
#   sh life.sh MatchAttributes ann bob
#
# Each call has an idempotency key, made before its first try: so curl may repeat it, and nothing happens twice.
set -eu
TYPE=$1
shift

# The key goes to curl in a file that nobody else can read: a header on the command line is in the list of processes.
umask 077
HEADERS=$(mktemp)
trap 'rm -f "$HEADERS"' EXIT
printf 'X-Api-Key: %s\nContent-Type: application/json\n' "$FANFARE_API_KEY" > "$HEADERS"

post() { # post ROUTE, with the body on standard input: prints the reply, or fails with what the gateway says
  KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  BODY=$(cat)
  REPLY=$(curl -sS -X POST "$FANFARE_URL/api/v1/live-activity/$1" -H @"$HEADERS" -H "Idempotency-Key: $KEY" \
    --retry 5 --retry-connrefused --max-time 60 --retry-max-time 120 -d "$BODY")
  printf '%s\n' "$REPLY" | jq -e 'select(.status == "success")' || { printf '%s\n' "$REPLY" >&2; return 1; }
}

ENDS_AT=$(jq -nr 'now + 7200 | todate')
# A refusal ends the script, which it would not within a pipe: so each reply is taken before anything is read from it.
MADE=$(jq -n --arg type "$TYPE" --arg ends "$ENDS_AT" '{activity_type: $type, insider_ids: $ARGS.positional, ends_at: $ends}' \
  --args "$@" | post register)
ID=$(printf '%s' "$MADE" | jq -r .activity_id)
echo "registered $ID"

body() { # body CONTENT
  jq -n --arg id "$ID" --arg type "$TYPE" --argjson content "$1" \
    '{activity_id: $id, activity_type: $type, content: $content}'
}

STARTED=$(body '{"title": "Ajax - PSV", "message": "Kick-off", "content_state": {"home": 0, "away": 0}}' | post start)
echo "started on $(printf '%s' "$STARTED" | jq .sessions_triggered)"

# Phones report within seconds that the Live Activity is there; until one has, an update is refused (DEVICE_NOT_SYNCED).
for _ in $(seq 60); do
  SYNCED=$(curl -sS "$FANFARE_URL/api/v1/live-activity/$ID" -H @"$HEADERS" --max-time 20 | jq .counts.active)
  [ "$SYNCED" = 0 ] || break
  sleep 1
done
UPDATED=$(body '{"content_state": {"home": 1, "away": 0}}' | post update)
echo "updated $(printf '%s' "$UPDATED" | jq .sessions_triggered)"

ENDED=$(body '{"content_state": {"home": 1, "away": 0}}' | post end)
echo "ended $(printf '%s' "$ENDED" | jq .sessions_triggered)"
