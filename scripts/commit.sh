#!/usr/bin/env bash
# commit.sh: writes down the commit that is being built, for `fanfare --version`. Nothing is compiled anew while it stays the
# same. Sources that are no checkout have none.
set -euo pipefail
cd "$(dirname "$0")/../Sources/C/CBuild"
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
# The package manager's folder and its list of versions are not sources.
if [ -n "$commit" ] && [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null)" ]; then commit=$commit+changes; fi
line="#define BUILD_COMMIT \"$commit\""
[ "$(cat commit.h 2>/dev/null)" = "$line" ] && exit
echo "$line" > commit.h
touch build.c
