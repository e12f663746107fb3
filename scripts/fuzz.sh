#!/usr/bin/env bash
# Fuzzes the JSON reader for the seconds given, coverage-guided. Fails on the first finding; its input is left in .build.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p .build/json-corpus
swiftc -O -parse-as-library -package-name fanfare -sanitize=fuzzer,address \
    Sources/LiveActivity/JSON/*.swift Sources/LiveActivity/Identifiers/Hexadecimal.swift Tests/Fuzz/JSONFuzz.swift \
    -o .build/json-fuzz
.build/json-fuzz -max_total_time="$seconds" -max_len=4096 -artifact_prefix=.build/ -print_final_stats=1 \
    .build/json-corpus Tests/LiveActivityTests/Resources/JSONTestSuite/test_parsing
