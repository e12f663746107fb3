#!/usr/bin/env bash
# device-size.sh [SOURCES]: how much larger a stripped executable gets by FanfareDevice, in KiB: one that follows a
# topic with it, against one that only uses Foundation. On Linux, optimised for speed and for size.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=${1:-$here/../Sources/Clients/FanfareDevice}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.swift" <<'SWIFT'
import FanfareDevice
import Foundation

struct NoSystem: LiveActivitySystem {
    let events = AsyncStream<SystemEvent> { $0.finish() }
    func end(systemID: String, activityType: String) async {}
    func takeInventory() async {}
}

let configuration = FanfareConfiguration(gateway: URL(string: "https://push.example.com")!, sdkKey: "key")!
let device = FanfareDevice(
    configuration, system: NoSystem(), storage: FileSnapshotStorage(file: URL(fileURLWithPath: "fanfare.json")))
await device.start()
print(await device.follow(CommandLine.arguments[1]))
SWIFT
cat >"$work/bare.swift" <<'SWIFT'
import Foundation

print(URL(string: CommandLine.arguments[1])?.host ?? "")
SWIFT
flags=(-swift-version 6 -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
    -wmo -j1)
mapfile -t files < <(find "$sources" -name '*.swift')
for optimisation in -O -Osize; do
    swiftc "${flags[@]}" $optimisation -parse-as-library -static -emit-library -emit-module -module-name FanfareDevice \
        -o "$work/libFanfareDevice.a" -emit-module-path "$work/FanfareDevice.swiftmodule" "${files[@]}"
    swiftc "${flags[@]}" $optimisation -I "$work" -L "$work" -lFanfareDevice -lFoundationNetworking -Xlinker --gc-sections \
        -o "$work/with" "$work/main.swift"
    swiftc "${flags[@]}" $optimisation -Xlinker --gc-sections -o "$work/without" "$work/bare.swift"
    strip "$work/with" "$work/without"
    echo "$optimisation: $((($(stat -c %s "$work/with") - $(stat -c %s "$work/without")) / 1024)) KiB"
done
