#!/usr/bin/env bash
# What `make release` built, on a plain Debian without Swift: every library is found, and the demo runs to its end.
# usage: run.sh FOLDER   (as root; the system is installed into FOLDER once, from Debian's mirror)
set -euo pipefail

root=$(realpath -m "$1")
samples=$(cd "$(dirname "$0")/../../samples" && pwd)

[ "$(id -u)" = 0 ] || { echo "a system of its own is made with debootstrap, which needs root: sudo make test-debian"; exit 1; }

if [ ! -e "$root.made" ]; then
    rm -rf "$root"
    mkdir -p "$root"
    # libssl3 and libsqlite3-0 are what skan needs; curl and openssl are the demo's.
    debootstrap --variant=minbase --include=libssl3,libsqlite3-0,curl,openssl bookworm "$root" >"$root.log" 2>&1 \
        || { tail -5 "$root.log"; exit 1; }
    touch "$root.made"
fi
if ! mountpoint -q "$root/proc"; then
    mount -t proc proc "$root/proc"
    trap 'umount "$root/proc"' EXIT
fi

mkdir -p "$root/opt/skan"
cp -r "$samples" "$root/opt/skan/"
make -C "$samples/.." --no-print-directory install DESTDIR="$root" PREFIX=/usr/local

echo "Debian $(cat "$root/etc/debian_version"), without Swift; ldd skan:"
chroot "$root" ldd /usr/local/bin/skan | tee "$root.ldd"
if grep -qE 'not found|libswift|libFoundation|libpq' "$root.ldd"; then
    echo "FAILED: a library is missing, or one of Swift's or PostgreSQL's is needed"
    exit 1
fi
chroot "$root" /usr/local/bin/skan version
chroot "$root" /bin/bash -c 'complete_file=/usr/local/share/bash-completion/completions/skan; test -s "$complete_file" && bash -n "$complete_file"'
test -s "$root/usr/local/share/man/man1/skan.1"
chroot "$root" /opt/skan/samples/demo.sh /usr/local/bin/skan >"$root.demo" 2>&1 \
    || { tail -20 "$root.demo"; echo "FAILED: the demo on a plain Debian"; exit 1; }
tail -3 "$root.demo"
echo "passed: $(stat -c %s "$root/usr/local/bin/skan") bytes, installed and run on a Debian without Swift"
