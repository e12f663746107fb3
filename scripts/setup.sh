#!/usr/bin/env bash
# Sees to it that everything is there that building and running Fanfare needs. Installs missing packages with apt-get
# where that is possible without asking, and otherwise says exactly what to install.
#
#     setup.sh [test | lint | chaos | bench | metrics | apicheck | deb | check-deb | check-containers | check-console | check-clients]
#
# With `test` also what the tests use, with `lint` the checkers of scripts, with `chaos` what only chaos does, with `bench`
# what the benchmark compares with, with `metrics` Prometheus, with `apicheck` what a virtual environment of Python needs, with
# `deb`, `check-deb` and `check-containers` what makes and tries packages and images, with `check-console` a browser, with `check-clients` Java and Go.
set -euo pipefail

say() { printf '%s\n' "$*" >&2; }

missing=()
command -v pkg-config >/dev/null || missing+=(pkg-config)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v python3 >/dev/null || missing+=(python3)
[ -e /usr/include/hiredis/async.h ] || missing+=(libhiredis-dev)
[ -e /usr/include/openssl/ssl.h ] || missing+=(libssl-dev)
[ -e /usr/include/nghttp2/nghttp2.h ] || missing+=(libnghttp2-dev)
[ -e /usr/include/zlib.h ] || missing+=(zlib1g-dev)
# What the console draws plots with; it becomes part of the executable.
[ -e /usr/share/javascript/chart.js/chart.min.js ] || missing+=(libjs-chart.js)
if [ "${1:-}" = test ]; then
    command -v curl >/dev/null || missing+=(curl)
    command -v jq >/dev/null || missing+=(jq)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v node >/dev/null || missing+=(nodejs)
    # What the library for Android is compiled with and tested on.
    command -v javac >/dev/null || missing+=(default-jdk-headless)
    # What the chapters on nginx and systemd run. No service is needed of either.
    PATH="$PATH:/usr/sbin:/sbin" command -v nginx >/dev/null || missing+=(nginx-light)
    [ -e /usr/lib/nginx/modules/ngx_stream_module.so ] || missing+=(libnginx-mod-stream)
    command -v systemd-analyze >/dev/null || missing+=(systemd)
    command -v pgrep >/dev/null || missing+=(procps)
fi
if [ "${1:-}" = test ] || [ "${1:-}" = metrics ]; then
    command -v promtool >/dev/null || missing+=(prometheus)
fi
if [ "${1:-}" = test ] || [ "${1:-}" = chaos ]; then
    # Chaos starts gateways whose clock is wrong.
    compgen -G '/usr/lib*/faketime/libfaketimeMT.so.1' >/dev/null \
        || compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || missing+=(libfaketime)
    # And Redis servers whose disk is slow, by a small library that it compiles.
    command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || missing+=(gcc libc6-dev)
fi
if [ "${1:-}" = bench ]; then
    command -v openssl >/dev/null || missing+=(openssl)
    command -v h2load >/dev/null || missing+=(nghttp2-client)
    command -v wrk >/dev/null || missing+=(wrk)
    command -v perf >/dev/null || missing+=(linux-perf)
    # Where Debian puts it is not in everyone's path.
    PATH="$PATH:/usr/sbin:/sbin" command -v nginx >/dev/null || missing+=(nginx-light)
fi
if [ "${1:-}" = deb ] || [ "${1:-}" = check-deb ]; then
    command -v dpkg-shlibdeps >/dev/null || missing+=(dpkg-dev)
    command -v objcopy >/dev/null || missing+=(binutils)
fi
if [ "${1:-}" = check-deb ] || [ "${1:-}" = check-containers ]; then
    PATH="$PATH:/usr/sbin:/sbin" command -v debootstrap >/dev/null || missing+=(debootstrap)
    command -v jq >/dev/null || missing+=(jq)
    command -v curl >/dev/null || missing+=(curl)
fi
if [ "${1:-}" = check-containers ]; then
    PATH="$PATH:/usr/sbin:/sbin" command -v ip >/dev/null || missing+=(iproute2)
fi
if [ "${1:-}" = check-clients ]; then
    # What the generated client in Go is made and compiled with.
    command -v java >/dev/null || missing+=(default-jre-headless)
    command -v go >/dev/null || missing+=(golang-go)
fi
if [ "${1:-}" = check-console ]; then
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing+=(chromium)
    # Pictures and widths are those of these letters.
    [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing+=(fonts-dejavu-core)
fi
if [ "${1:-}" = lint ]; then
    command -v shellcheck >/dev/null || missing+=(shellcheck)
    command -v pyflakes3 >/dev/null || missing+=(pyflakes3)
    command -v luacheck >/dev/null || missing+=(lua-check)
fi
if [ "${1:-}" = test ] || [ "${1:-}" = apicheck ] || [ "${1:-}" = check-containers ] || [ "${1:-}" = check-console ]; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
fi

if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        say "Missing: ${missing[*]} (Debian's names). Install them with your system's package manager and run this again."
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        as_root=()
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    else
        say "Missing packages. Install them with:"
        say "    sudo apt-get update && sudo apt-get install -y ${missing[*]}"
        exit 1
    fi
    say "Installing ${missing[*]} ..."
    "${as_root[@]}" apt-get update -qq >/dev/null
    # Packages start servers of their own, which nothing here uses; the policy of this call keeps them from starting.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! command -v "${SWIFT:-swift}" >/dev/null; then
    say "Swift is missing. Install Swift 6.2 or later: https://www.swift.org/install/linux/"
    exit 1
fi
version=$("${SWIFT:-swift}" --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ "${major:-0}" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
    say "Swift ${version:-of unknown version} is too old. Install Swift 6.2 or later: https://www.swift.org/install/linux/"
    exit 1
fi
