#!/usr/bin/env bash
# Fuzzes the JSON reader, the reader of segments' lists, the headers of proxies and the HTTP/2 engine, each for the seconds
# given, coverage-guided. Fails on the first finding; its input is left in .build.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
which=${2:-json lists proxies http2}
out=.build/fuzz-modules

# shellcheck disable=SC2054 # The comma belongs to the option.
options=(-O -wmo -parse-as-library -package-name fanfare -sanitize=fuzzer,address -I "$out" -I Sources/C/CNghttp2)
options+=(-swift-version 6 -enable-upcoming-feature MemberImportVisibility)

# Compiles targets of the layer Core, those first that others import.
compile_modules() {
    local module
    mkdir -p "$out"
    for module in "$@"; do
        find "Sources/Core/$module" -name '*.swift' -print0 | xargs -0 swiftc "${options[@]}" \
            -module-name "$module" -emit-module -emit-module-path "$out/$module.swiftmodule" -c -o "$out/$module.o"
    done
}

fuzz_json() {
    mkdir -p .build/json-corpus
    compile_modules TimeCore Encodings LiveActivity
    swiftc "${options[@]}" Tests/Fuzz/JSONFuzz.swift "$out"/{TimeCore,Encodings,LiveActivity}.o -o .build/json-fuzz
    .build/json-fuzz -max_total_time="$seconds" -max_len=4096 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/json-corpus Tests/LiveActivityTests/Resources/JSONTestSuite/test_parsing
}

fuzz_lists() {
    mkdir -p .build/lists-corpus
    compile_modules TimeCore Encodings LiveActivity
    swiftc "${options[@]}" Tests/Fuzz/SegmentListFuzz.swift "$out"/{TimeCore,Encodings,LiveActivity}.o \
        -o .build/lists-fuzz
    .build/lists-fuzz -max_total_time="$seconds" -max_len=2048 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/lists-corpus
}

fuzz_proxies() {
    mkdir -p .build/proxies-corpus
    compile_modules Encodings ConnectionCore
    swiftc "${options[@]}" Tests/Fuzz/ProxyHeaderFuzz.swift "$out"/{Encodings,ConnectionCore}.o -o .build/proxies-fuzz
    .build/proxies-fuzz -max_total_time="$seconds" -max_len=512 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/proxies-corpus
}

fuzz_http2() {
    mkdir -p .build/http2-corpus
    compile_modules TimeCore Encodings FlatMemory HTTP2Core
    swiftc "${options[@]}" Tests/HTTP2CoreTests/Fuzzing/FuzzCase.swift Tests/Fuzz/HTTP2Fuzz.swift \
        "$out"/{TimeCore,Encodings,FlatMemory,HTTP2Core}.o -lnghttp2 -o .build/http2-fuzz
    # Longer than the largest frame is of no use: stories make such frames from few bytes.
    .build/http2-fuzz -max_total_time="$seconds" -max_len=4096 -artifact_prefix=.build/ -print_final_stats=1 \
        .build/http2-corpus Tests/HTTP2CoreTests/Resources/HTTP2Cases
}

for name in $which; do "fuzz_$name"; done
