#!/bin/sh
# share.sh EXECUTABLE DIRECTORY: writes what belongs beside the executable, as it describes itself: completions for bash,
# zsh and fish, the manual page, and the example configuration. DIRECTORY is laid out like /usr/share.
set -eu
[ $# -eq 2 ] || { echo "usage: share.sh EXECUTABLE DIRECTORY" >&2; exit 64; }
executable=$1
share=$2
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d" \
    "$share/man/man1" "$share/doc/fanfare"
"$executable" --generate-completion-script bash > "$share/bash-completion/completions/fanfare"
"$executable" --generate-completion-script zsh > "$share/zsh/site-functions/_fanfare"
"$executable" --generate-completion-script fish > "$share/fish/vendor_completions.d/fanfare.fish"
python3 "$here/manual.py" "$executable" > "$share/man/man1/fanfare.1"
cp "$here/../config/fanfare.yaml" "$share/doc/fanfare/fanfare.yaml"
