#!/usr/bin/env bash
# deb.sh EXECUTABLE FOLDER [VERSION]: writes fanfare_VERSION_ARCHITECTURE.deb and fanfare-dbgsym_… into FOLDER. The executable
# in the one is stripped; its symbols are in the other, where gdb and perf look for them.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: deb.sh EXECUTABLE FOLDER [VERSION]" >&2; exit 64; }
executable=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
folder=$(realpath "$2")
# For dpkg a hyphen begins a revision, which is newer than none; a tilde is older.
version=${3:-$("$executable" --version | cut -d" " -f1 | tr - '~')}
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/fanfare
symbols=$work/fanfare-dbgsym
debian=$here/../packaging/debian
umask 022

install -D -m 755 "$executable" "$root/usr/bin/fanfare"
objcopy --only-keep-debug "$executable" "$work/fanfare.debug"
strip --strip-all --remove-section=.comment --remove-section=.note "$root/usr/bin/fanfare"
install -D -m 644 "$debian/fanfare.service" "$root/lib/systemd/system/fanfare.service"
install -D -m 640 "$here/../config/fanfare.yaml" "$root/etc/fanfare/fanfare.yaml"
# Commands are run in any folder, and find the same store.
sed -i 's|^  #data_dir: data$|  data_dir: /var/lib/fanfare/data|' "$root/etc/fanfare/fanfare.yaml"
grep -q '^  data_dir: /var/lib/fanfare/data$' "$root/etc/fanfare/fanfare.yaml"
"$here/share.sh" "$executable" "$root/usr/share"
gzip -9 -n "$root/usr/share/man/man1/fanfare.1"
install -D -m 644 "$debian/copyright" "$root/usr/share/doc/fanfare/copyright"
gzip -9 -n -c "$here/../CHANGELOG.md" > "$root/usr/share/doc/fanfare/changelog.gz"
"$here/sbom.py" "$executable" | gzip -9 -n > "$root/usr/share/doc/fanfare/fanfare.cdx.json.gz"
mkdir -p "$root/usr/share/doc/fanfare/monitoring" "$root/usr/share/doc/fanfare/nginx"
cp "$here/../packaging/nginx/"*.conf "$root/usr/share/doc/fanfare/nginx/"
cp "$here/../monitoring/fanfare.rules.yaml" "$here/../monitoring/grafana/fanfare.json" "$root/usr/share/doc/fanfare/monitoring/"

# Which packages have the libraries that it is linked with, from which version on.
mkdir -p "$work/shlibs/debian"
printf 'Source: fanfare\n\nPackage: fanfare\nArchitecture: any\n' > "$work/shlibs/debian/control"
depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O -e "$root/usr/bin/fanfare" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "deb.sh: dpkg-shlibdeps does not say what the executable depends on" >&2; exit 1; }

mkdir -p "$root/DEBIAN"
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$(du -sk "$root" | cut -f1)/; s/@DEPENDS@/$depends/" \
    "$debian/control.in" > "$root/DEBIAN/control"
echo /etc/fanfare/fanfare.yaml > "$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$debian/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find usr lib etc -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$root" "$folder/fanfare_${version}_$architecture.deb" >/dev/null

identifier=$(readelf -n "$executable" | sed -n 's/.*Build ID: //p')
if [ -n "$identifier" ]; then
    install -D -m 644 "$work/fanfare.debug" "$symbols/usr/lib/debug/.build-id/${identifier:0:2}/${identifier:2}.debug"
    mkdir -p "$symbols/DEBIAN"
    printf 'Package: fanfare-dbgsym\nVersion: %s\nArchitecture: %s\nMaintainer: Fanfare <fanfare@localhost>\nSection: debug\nPriority: optional\nDepends: fanfare (= %s)\nDescription: debug symbols for fanfare\n' \
        "$version" "$architecture" "$version" > "$symbols/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$symbols" "$folder/fanfare-dbgsym_${version}_$architecture.deb" >/dev/null
fi
for file in "$folder"/fanfare*_"${version}"_*.deb; do
    awk -v size="$(stat -c %s "$file")" -v file="$file" 'BEGIN { printf "%s (%.1f MB)\n", file, size / 1e6 }'
done
