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

say "1. Apple-signed postbacks of both frameworks verify on this machine"
run "$skan" selftest

say "2. The network signs impressions of both frameworks"
run "$skan" keys generate key.pem
run "$skan" sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \
    --advertised-app 525463029 --source-app 1234567891 --key key.pem
run "$skan" sign --framework adattributionkit --network example123.skadnetwork --source-identifier 5239 \
    --advertised-app 525463029 --source-app 1234567891 --re-engagement --key key.pem --format jws

say "3. The server starts; it trusts the stand-in for Apple as a test key"
"$skan" simulate --count 1 --keys keys --output keys 2>/dev/null
cat >networks.json <<'JSON'
{"keys": [{"ad-network-id": "example123.skadnetwork", "file": "key.pem", "versions": "2.1-4.0", "use": "active"}]}
JSON
"$skan" serve --listen 127.0.0.1:0 --console 127.0.0.1:0 --store skan.sqlite --signing-keys networks.json \
    --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem 2>server.log &
server=$!
address() { sed -n "s/.* listening for $1 address=\([^ ]*\).*/\1/p" server.log; }
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

say "5. A bidder asks for the signatures of a bid: every form of SKAdNetwork 4.0, and AdAttributionKit"
curl -sS "$console/v1/openrtb/skadn" -H 'Content-Type: application/json' --data-binary @- <<'JSON'
{"skadn": {"versions": ["2.0", "3.0", "4.0"], "sourceapp": "1234567891", "skadnetids": ["example123.skadnetwork"]},
 "adattributionkit": {"version": ["1.0"], "sourceapp": "1234567891", "skadnetids": ["example123.skadnetwork"]},
 "advertise": {"itunesitem": "525463029", "sourceidentifier": "5239"}}
JSON

say "6. A web ad: its link is issued, a device taps it, gets the payload signed once, installs, and sends its postback"
"$skan" web-ad issue --store skan.sqlite --network example123.skadnetwork --source-identifier 3120 \
    --advertised-app 525463029 --source-domain example.com --destination https://network.example >link.json
cat link.json
run "$skan" web-ad tap --source-domain example.com --network-key key.pem --keys keys \
    --url "${postbacks%/skadnetwork/postbacks}" <link.json

say "7. A day of simulated traffic in both frameworks: repeats, replays, forgeries, broken bodies"
run "$skan" simulate --count 2000 --keys keys --post "$postbacks" --report-url "$console"

say "8. The campaign report: real installs"
run "$skan" report --store skan.sqlite

say "9. What real numbers never contain: simulated traffic in both frameworks, and a postback made on a developer's phone"
run "$skan" report --store skan.sqlite --test --by framework,conversion-type
run "$skan" report --store skan.sqlite --development --by network,conversion-type,interaction-type

say "10. Everything is verified and counted again from the raw bytes"
run "$skan" recount --store skan.sqlite \
    --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem

say "11. The server stops when it is told to"
kill -TERM "$server"
wait "$server"
server=
tail -1 server.log
