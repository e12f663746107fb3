#!/usr/bin/env bash
# check-deb.sh FOLDER EXECUTABLE: what becomes of the package in FOLDER on a bare Debian: installed, with a gateway that pushes,
# upgraded, removed and purged. As root: it makes a root of its own with debootstrap, under a temporary folder.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: check-deb.sh FOLDER EXECUTABLE" >&2; exit 64; }
[ "$(id -u)" -eq 0 ] || { echo "check-deb.sh: debootstrap and chroot need root" >&2; exit 1; }
PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath "$1")
version=$("$2" --version | cut -d" " -f1 | tr - '~')
package=$folder/fanfare_${version}_$(dpkg --print-architecture).deb
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

work=$(mktemp -d)
root=$work/root
pids=()
end() {
    for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

fail() { echo "check-deb: $*" >&2; exit 1; }
inside() { DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
step() { echo "$*"; }

step "a bare $suite"
debootstrap --variant=minbase "$suite" "$root" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log" >&2; exit 1; }
mount -t proc proc "$root/proc"
printf "127.0.0.1 localhost\n" > "$root/etc/hosts"
cp "$package" "$root/root/fanfare.deb"

step "install"
inside apt-get -o Dpkg::Use-Pty=0 install -y --no-install-recommends /root/fanfare.deb redis-server curl jq >"$work/apt.log" 2>&1 \
    || { tail "$work/apt.log" >&2; exit 1; }
[ "$(inside fanfare --version)" = "$("$2" --version)" ] || fail "the executable does not say its version"
[ "$(stat -c %s "$root/usr/bin/fanfare")" -lt 60000000 ] || fail "the executable is larger than 60 MB: is ICU's data in it again?"
[ "$(inside stat -c %a:%U:%G /etc/fanfare/fanfare.yaml)" = 640:root:fanfare ] || fail "the configuration is open to others"
[ "$(stat -c %a "$root/var/lib/fanfare")" = 700 ] || fail "the data are open to others"
[ -s "$root/usr/share/man/man1/fanfare.1.gz" ] || fail "there is no manual page"
inside ldd /usr/bin/fanfare | grep -q "not found" && fail "a library is missing that no dependency names"
if command -v systemd-analyze >/dev/null; then
    # It finds no other unit in a root without systemd, which says nothing of this one.
    wrong=$(systemd-analyze verify --root="$root" fanfare.service 2>&1 | grep -iE 'unknown|invalid|parse|ignor|executable' || true)
    [ -z "$wrong" ] || fail "the unit is not right: $wrong"
fi

step "from nothing to an accepted push"
install -d -m 700 "$root/var/lib/fanfare/mock"
inside chown fanfare:fanfare /var/lib/fanfare/mock
chroot --userspec=fanfare:fanfare "$root" /usr/bin/fanfare mock-apns --port 0 --out-dir /var/lib/fanfare/mock >"$work/mock.log" 2>&1 &
mock=$!
pids+=("$mock")
for _ in $(seq 100); do [ -e "$root/var/lib/fanfare/mock/apns.env" ] && break; sleep 0.1; done
sed -n 's/^\(export \)\{0,1\}\(FANFARE_.*\)/\2/p' "$root/var/lib/fanfare/mock/apns.env" | tr -d "'\"" > "$root/etc/default/fanfare"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "FANFARE_HTTP_PORT=$port" >> "$root/etc/default/fanfare"
# As the unit does it: its user, its folder, its variables, and nothing else of this environment.
as_service() {
    local variables=()
    mapfile -t variables < "$root/etc/default/fanfare"
    ${replacing:+exec} env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" chroot --userspec=fanfare:fanfare "$root" \
        /bin/sh -c 'cd /var/lib/fanfare && exec "$@"' sh "$@"
}
serve() {
    # In place of the shell, so that the gateway is the process that is signalled and waited for.
    replacing=yes as_service /usr/bin/fanfare serve --config /etc/fanfare/fanfare.yaml >"$work/serve.log" 2>&1 &
    gateway=$!
    pids+=("$gateway")
    for _ in $(seq 200); do
        if curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null; then return; fi
        sleep 0.1
    done
    tail "$work/serve.log" >&2
    fail "the gateway is not ready"
}
api() { curl -sf "http://127.0.0.1:$port/api/v1/$1" -H "$2" -H 'Content-Type: application/json' "${@:3}"; }

serve
as_service /usr/bin/fanfare doctor --config /etc/fanfare/fanfare.yaml >"$work/doctor.log" || { cat "$work/doctor.log" >&2; fail "doctor finds something"; }
keys=$(as_service /usr/bin/fanfare tenant create shop --no-signatures --json --config /etc/fanfare/fanfare.yaml 2>"$work/tenant.log")
customer="X-Api-Key: $(jq -r .api_key <<<"$keys")"
app="X-Sdk-Key: $(jq -r .sdk_key <<<"$keys")"
api sdk/device "$app" -X PUT -d '{"insider_id":"ann","udid":"phone-1","platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,"environment":"production"}' >/dev/null
api sdk/push-to-start-token "$app" -X PUT -d "{\"insider_id\":\"ann\",\"udid\":\"phone-1\",\"token\":\"$(printf 'ab%.0s' $(seq 32))\"}" >/dev/null
activity=$(api live-activity/register "$customer" -d "{\"activity_type\":\"Order\",\"insider_ids\":[\"ann\"],\"ends_at\":\"$(date -u -d '+2 hours' +%FT%TZ)\"}" | jq -r .activity_id)
started=$(api live-activity/start "$customer" -d "{\"activity_id\":\"$activity\",\"activity_type\":\"Order\",\"content\":{\"title\":\"t\",\"message\":\"m\",\"content_state\":{\"n\":1}}}")
[ "$(jq .sessions_triggered <<<"$started")" = 1 ] || fail "the push was not accepted: $started"

step "upgrade: what the operator has changed stays, and so do the data"
sed -i 's/^log:$/log:\n  level: notice/' "$root/etc/fanfare/fanfare.yaml"
grep -q '^  level: notice$' "$root/etc/fanfare/fanfare.yaml" || fail "the configuration is not as this script takes it to be"
"$here/deb.sh" "$2" "$work/next" "$version+next" >/dev/null
cp "$work/next/fanfare_${version}+next_"*.deb "$root/root/next.deb"
inside dpkg -i /root/next.deb >"$work/upgrade.log" 2>&1 || { tail "$work/upgrade.log" >&2; exit 1; }
[ "$(inside dpkg-query -W -f "\${Version}" fanfare)" = "$version+next" ] || fail "it is not the next version"
grep -q '^  level: notice$' "$root/etc/fanfare/fanfare.yaml" || fail "the operator's configuration was replaced"
kill "$gateway"
wait "$gateway" || fail "the gateway did not stop in order"
serve
found=$(api "live-activity/$activity" "$customer")
[ "$(jq -r .state <<<"$found")" = STARTED ] || fail "the activity is gone: $found"
kill "$gateway"
wait "$gateway" || fail "the gateway did not stop in order"

step "remove and purge"
# A user who has processes stays.
kill "$mock"
wait "$mock" || true
inside dpkg --remove fanfare >"$work/remove.log" 2>&1
for kept in /etc/fanfare/fanfare.yaml /var/lib/fanfare/data; do
    [ -e "$root$kept" ] || fail "to remove it takes $kept"
done
inside dpkg --purge fanfare >"$work/purge.log" 2>&1 || { tail "$work/purge.log" >&2; exit 1; }
for left in /etc/fanfare /etc/default/fanfare /var/lib/fanfare /var/log/fanfare /usr/bin/fanfare /lib/systemd/system/fanfare.service; do
    [ ! -e "$root$left" ] || fail "$left is left"
done
if inside getent passwd fanfare >/dev/null; then cat "$work/purge.log" >&2; fail "the user is left"; fi
echo "the package installs, pushes, upgrades and goes"
