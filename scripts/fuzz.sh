#!/usr/bin/env bash
# Fuzzes the JSON reader, the reader of segments' lists and the HTTP/2 engine, each for the seconds given,
# coverage-guided. Fails on the first finding; its input is left in .build.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
which=${2:-json lists http2}

fuzz_json() {
    mkdir -p .build/json-corpus
    swiftc -O -parse-as-library -package-name fanfare -sanitize=fuzzer,address \
        Sources/LiveActivity/JSON/*.swift Sources/LiveActivity/Identifiers/Hexadecimal.swift Tests/Fuzz/JSONFuzz.swift \
        -o .build/json-fuzz
    .build/json-fuzz -max_total_time="$seconds" -max_len=4096 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/json-corpus Tests/LiveActivityTests/Resources/JSONTestSuite/test_parsing
}

fuzz_lists() {
    mkdir -p .build/lists-corpus
    swiftc -O -parse-as-library -package-name fanfare -sanitize=fuzzer,address \
        Sources/LiveActivity/JSON/*.swift Sources/LiveActivity/Identifiers/Hexadecimal.swift \
        Sources/LiveActivity/Segments/*.swift Sources/LiveActivity/Devices/{Device,OSVersion}.swift \
        Tests/Fuzz/SegmentListFuzz.swift -o .build/lists-fuzz
    .build/lists-fuzz -max_total_time="$seconds" -max_len=2048 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/lists-corpus
}

fuzz_http2() {
    local out=.build/http2-fuzz-modules
    mkdir -p .build/http2-corpus "$out"
    # One module after the other, as the engine imports the others by name.
    # shellcheck disable=SC2054 # The comma belongs to the option.
    local options=(-O -wmo -parse-as-library -package-name fanfare -sanitize=fuzzer,address -I "$out" -I Sources/CNghttp2)
    local features=(-swift-version 6 -enable-upcoming-feature MemberImportVisibility)
    local module
    for module in TimeCore FlatMemory HTTP2Core; do
        find "Sources/$module" -name '*.swift' -print0 | xargs -0 swiftc "${options[@]}" "${features[@]}" \
            -module-name "$module" -emit-module -emit-module-path "$out/$module.swiftmodule" -c -o "$out/$module.o"
    done
    swiftc "${options[@]}" "${features[@]}" Tests/HTTP2CoreTests/Fuzzing/FuzzCase.swift Tests/Fuzz/HTTP2Fuzz.swift \
        "$out"/{TimeCore,FlatMemory,HTTP2Core}.o -lnghttp2 -o .build/http2-fuzz
    # Longer than the largest frame is of no use: stories make such frames from few bytes.
    .build/http2-fuzz -max_total_time="$seconds" -max_len=4096 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/http2-corpus Tests/HTTP2CoreTests/Resources/HTTP2Cases
}

for name in $which; do "fuzz_$name"; done
