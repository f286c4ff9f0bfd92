#!/usr/bin/env bash
# The main job, end to end, on loopback and in a folder of its own: a server, a day of traffic against it, the reports.
set -euo pipefail

samples=$(cd "$(dirname "$0")" && pwd)
skan=$(realpath "${1:-skan}")
work=$(mktemp -d)
server=

finish() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" || true
    rm -rf "$work"
}
trap finish EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "${*/#"$skan"/skan}"; "$@"; }

cd "$work"

say "1. Apple-signed postbacks of every published version verify on this machine"
run "$skan" selftest

say "2. The network signs an impression"
run "$skan" keys generate key.pem
run "$skan" sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \
    --advertised-app 525463029 --source-app 1234567891 --key key.pem

say "3. The server starts; it trusts the stand-in for Apple as a test key"
"$skan" simulate --count 1 --keys keys --output keys 2>/dev/null
"$skan" serve --listen 127.0.0.1:0 --console 127.0.0.1:0 --store skan.sqlite \
    --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem 2>server.log &
server=$!
address() { sed -n "s/.*address=\([^ ]*\) .*listening for $1\$/\1/p" server.log; }
for _ in $(seq 200); do
    [ -n "$(address 'the console')" ] && [ -n "$(address postbacks)" ] && break
    kill -0 "$server" 2>/dev/null || { cat server.log; exit 1; }
    sleep 0.05
done
postbacks=http://$(address postbacks)/skadnetwork/postbacks
console=http://$(address 'the console')
cat server.log

say "4. Devices deliver genuine postbacks; one is sent twice, one is forged"
echo "(Apple's examples of 2.0, 2.1 and 2.2 share one transaction id: the first counts, the others are conflicts.)"
for file in "$samples"/postbacks/*.json "$samples"/postbacks/skan-3.0-win.json; do
    printf '%-28s ' "$(basename "$file")"
    curl -sS -H 'Content-Type: application/json' --data-binary "@$file" "$postbacks"
done
printf '%-28s ' "forged"
sed 's/"did-win": false/"did-win": true/' "$samples/postbacks/skan-3.0-lose.json" \
    | curl -sS -H 'Content-Type: application/json' --data-binary @- "$postbacks"

say "5. A day of simulated traffic: repeats, replays, forgeries, broken bodies"
run "$skan" simulate --count 2000 --keys keys --post "$postbacks" --report-url "$console"

say "6. The campaign report: real installs"
run "$skan" report --store skan.sqlite

say "7. The same of the simulated ones, which real numbers never contain"
run "$skan" report --store skan.sqlite --test --by network,app

say "8. Everything is verified and counted again from the raw bytes"
run "$skan" recount --store skan.sqlite \
    --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem

say "9. The server stops when it is told to"
kill -TERM "$server"
wait "$server"
server=
tail -1 server.log
