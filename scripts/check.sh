#!/usr/bin/env bash
# Tries a part of the product from outside; `make check-PART` calls it.
#
#     api         compares a running gateway with docs/openapi.yaml; EXAMPLES=n for more or fewer requests
#     clients     tests the clients, generates others (Python, Go), and drives a whole life through each
#     console     plays each view and action in Chromium; ONLY=names for some, PICTURES=1 for the pictures of the documents
#     containers  carries out Dockerfile and compose.yaml, and checks the manifests for Kubernetes (as root; no engine needed)
#     deb         installs, runs, upgrades and purges the package in a bare Debian (as root; debootstrap)
#     metrics     checks /metrics, its documents, the alerts and the dashboard with Prometheus
#     upgrade     replaces gateways of another version under load, forth and back; FROM=a commit or an executable
#
# SEED=n repeats a run of `api`, `clients` or `upgrade`.
set -euo pipefail
cd "$(dirname "$0")/.."
debug=.build/debug/fanfare
release=.build/release/fanfare
seed=(${SEED:+--seed "$SEED"})

# build TARGET: as `make` does.
build() { make --no-print-directory "$1"; }

# python NAME REQUIREMENTS: makes the environment .build-NAME.
python() {
    python3 -m venv ".build-$1"
    ".build-$1/bin/pip" install --quiet --disable-pip-version-check -r "$2"
}

check_api() {
    scripts/setup.sh apicheck
    build debug
    python apicheck apicheck/requirements.txt
    cd apicheck
    ../.build-apicheck/bin/python -m apicheck --binary "../$debug" "${seed[@]}" ${EXAMPLES:+--examples "$EXAMPLES"}
}

check_clients() {
    scripts/setup.sh test
    scripts/setup.sh check-clients
    build debug
    scripts/clients.sh "$debug"
    scripts/client-python.sh "$debug"
    scripts/push-libraries.sh "$debug"
    FANFARE_BINARY="$PWD/$debug" clients/android/build.sh test ${SEED:+"$SEED"}
}

check_console() {
    scripts/setup.sh check-console
    build debug
    python console scripts/console/requirements.txt
    cd scripts
    ../.build-console/bin/python -m console "../$debug" ${ONLY:+--only "$ONLY"} ${PICTURES:+--screenshots}
}

check_containers() {
    build deb
    scripts/setup.sh check-containers
    python containers scripts/containers/requirements.txt
    cd scripts
    ../.build-containers/bin/python -m containers "../$release" ../.build/deb \
        --compose ../.build-containers/bin/docker-compose
}

check_deb() {
    build deb
    scripts/setup.sh check-deb
    scripts/check-deb.sh .build/deb "$release"
}

check_metrics() {
    scripts/setup.sh metrics
    build debug
    cd scripts
    python3 -m monitoring "../$debug"
}

check_upgrade() {
    build build
    scripts/setup.sh chaos
    scripts/upgrade.sh "$release" "${FROM:-}" "${SEED:-}"
}

if [ "$(type -t "check_${1:-}")" != function ]; then
    echo "there is no check of ${1:-nothing}; there is: $(declare -F | sed -n 's/declare -f check_//p' | paste -sd' ')" >&2
    exit 64
fi
"check_$1"
