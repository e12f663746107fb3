#!/usr/bin/env bash
# Makes a virtual environment of Python with what a file of requirements names, unless it is there.
#
#     environment.sh FOLDER REQUIREMENTS
set -euo pipefail
cd "$(dirname "$0")/.."

# The package index is asked only for what is not installed yet.
cmp -s "$2" "$1/installed.txt" && exit
python3 -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check -r "$2"
cp "$2" "$1/installed.txt"
