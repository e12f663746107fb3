#!/bin/sh
# Builds the two jars into build/ and, with "test", runs all tests: build.sh [test [SEED [LIVES [GATEWAY_LIVES]]]]
# Needs a JDK of 9 or later; tests also need redis-server and the gateway: FANFARE_BINARY names it,
# else it is looked for in the path and in the repository's .build/release.
set -eu
cd "$(dirname "$0")"
out=build
rm -rf "$out"
mkdir -p "$out"

# compile FOLDER CLASSPATH SOURCES
compile() {
    mkdir -p "$out/$1"
    find "$3" -name '*.java' > "$out/$1.list"
    javac -J-XX:TieredStopAtLevel=1 --release 8 -Xlint:all,-options -Werror -encoding UTF-8 -g:source,lines \
        -cp "$2" -d "$out/$1" "@$out/$1.list"
    rm "$out/$1.list"
}

compile core "$out" core/src
compile stub "$out" stub/src
compile android "$out/core:$out/stub" android/src
# The same bytes for the same sources: entries in order, with one date.
jar_of() {
    (cd "$out/$1" && find . -name '*.class' | LC_ALL=C sort > ../entries && xargs touch -t 202001010000 < ../entries &&
        jar cfM "../$2" @../entries && rm ../entries)
}
jar_of core fanfare-device.jar
jar_of android fanfare-device-android.jar
wc -c "$out"/*.jar

[ "${1:-}" = test ] || exit 0
shift
compile recording "$out" test/recording/src
compile recording36 "$out/recording" test/recording36/src
compile android-test "$out/core:$out/android:$out/recording" test/android/src
compile test "$out/core" test/src
export FANFARE_BINARY="${FANFARE_BINARY:-$(command -v fanfare || echo ../../.build/release/fanfare)}"
exec java -cp "$out/core:$out/test" fanfare.device.Tests "$out" "$@"
