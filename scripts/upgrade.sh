#!/usr/bin/env bash
# upgrade.sh EXECUTABLE FROM [SEED]: replaces gateways of FROM, a commit or an executable, by EXECUTABLE and back, one after the
# other under load, and checks that nothing is lost. A commit is built in .build-before, which takes as long as a first build.
set -euo pipefail
if [ $# -lt 2 ] || [ -z "$2" ]; then
    echo "say which version to begin with: make check-upgrade FROM=a commit or an executable" >&2
    exit 64
fi
executable=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)

if [ -f "$2" ] && [ -x "$2" ]; then
    before=$(realpath "$2")
else
    commit=$(git -C "$root" rev-parse --verify --quiet "$2^{commit}") || { echo "upgrade.sh: $2 is no commit and no executable" >&2; exit 1; }
    source=$root/.build-before/source
    [ -e "$source/.git" ] || git -C "$root" worktree add --detach --force "$source" "$commit" >/dev/null
    git -C "$source" checkout --detach --quiet "$commit"
    make -C "$source" build
    before=$source/.build/release/fanfare
fi
echo "from $("$before" --version) to $("$executable" --version)"
cd "$root/chaos"
for program in harness orders; do
    echo "$program"
    timeout --kill-after=30 600 python3 -m "$program" --binary "$executable" --upgrade-from "$before" --seconds 60 ${3:+--seed "$3"}
done
