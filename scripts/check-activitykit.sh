#!/usr/bin/env bash
# check-activitykit.sh [SOURCES]: type-checks the library's ActivityKit part, and an app that uses it, against a stub of
# ActivityKit's public signatures. Needs swiftc alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=${1:-$here/../Sources/Clients/FanfareDevice}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -warnings-as-errors -parse-as-library)
swiftc "${flags[@]}" -emit-module -module-name ActivityKit -emit-module-path "$work/ActivityKit.swiftmodule" \
    "$here/activitykit/ActivityKit.swift"
mapfile -t files < <(find "$sources" -name '*.swift' | sort)
swiftc "${flags[@]}" -I "$work" -emit-module -module-name FanfareDevice \
    -emit-module-path "$work/FanfareDevice.swiftmodule" "${files[@]}"
swiftc "${flags[@]}" -I "$work" -typecheck "${files[@]}" -module-name FanfareDevice
swiftc "${flags[@]}" -I "$work" -typecheck -module-name App "$here/activitykit/App.swift"
echo "the ActivityKit part type-checks: ${#files[@]} files"
