#!/usr/bin/env bash
# The whole product on loopback, in a temporary folder: a server, a day of traffic against it, the reports.
# Every answer is compared with the expected one; the first difference ends the demo with status 1.
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
# expect PATTERN: prints what it reads and ends the demo unless a line of it matches PATTERN.
expect() {
    local text
    text=$(cat)
    printf '%s\n' "$text"
    grep -qE -- "$1" <<<"$text" || { printf '\nthe demo FAILED: no line above matches: %s\n' "$1" >&2; exit 1; }
}
# post NAME PATTERN: posts standard input as a device would.
post() {
    printf '%-34s' "$1"
    curl -sS -H 'Content-Type: application/json' --data-binary @- "$postbacks" | expect "$2"
}

cd "$work"

say "1. Apple-signed postbacks of both frameworks verify on this machine"
run "$skan" selftest | expect '^ok +aak-development-reengagement: verifies'

say "2. The network signs impressions of both frameworks"
run "$skan" keys generate key.pem
run "$skan" sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \
    --advertised-app 525463029 --source-app 1234567891 --key key.pem | expect '"attribution-signature": "ME'
run "$skan" sign --framework adattributionkit --network example123.skadnetwork --source-identifier 5239 \
    --advertised-app 525463029 --source-app 1234567891 --re-engagement --key key.pem --format jws \
    | expect '^eyJ[^.]*[.]eyJ[^.]*[.][^.]*$'

say "3. The server starts; it trusts the stand-in for Apple as a test key"
"$skan" simulate --count 1 --keys keys --output keys 2>/dev/null
cat >networks.json <<'JSON'
{"keys": [{"ad-network-id": "example123.skadnetwork", "file": "key.pem", "versions": "2.1-4.0", "use": "active"}]}
JSON
"$skan" serve --listen 127.0.0.1:0 --console 127.0.0.1:0 --store skan.sqlite --signing-keys networks.json \
    --signing 127.0.0.1:0 --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem 2>server.log &
server=$!
address() { sed -n "s/.* listening for $1 address=\([^ ]*\).*/\1/p" server.log; }
for _ in $(seq 200); do
    [ -n "$(address 'the console')" ] && [ -n "$(address postbacks)" ] && [ -n "$(address signing)" ] && break
    kill -0 "$server" 2>/dev/null || { cat server.log; exit 1; }
    sleep 0.05
done
postbacks=http://$(address postbacks)/skadnetwork/postbacks
console=http://$(address 'the console')
signer=http://$(address signing)
cat server.log

say "4. Devices deliver genuine postbacks; one is sent twice, one is forged"
echo "(Apple's examples of 2.0, 2.1 and 2.2 share one transaction id: the first counts, the others are conflicts.)"
for file in aak-development-reengagement skan-2.0-source-app skan-2.1-source-app skan-2.2-source-app \
    skan-3.0-lose skan-3.0-win skan-4.0-web-coarse skan-4.0-web-fine skan-3.0-win-again; do
    case $file in
        aak-development-*) answer='"status":"recorded".*"provenance":"development"' ;;
        skan-2.1-* | skan-2.2-*) answer='"status":"conflict".*"provenance":"apple"' ;;
        *-again) answer='"status":"duplicate".*"provenance":"apple"' ;;
        *) answer='"status":"recorded".*"provenance":"apple"' ;;
    esac
    post "$file" "$answer" <"$samples/postbacks/${file%-again}.json"
done
sed 's/"did-win": false/"did-win": true/' "$samples/postbacks/skan-3.0-lose.json" \
    | post "skan-3.0-lose, said to have won" '"status":"quarantined","reason":"invalid-signature"'

say "5. A bidder asks for the signatures of a bid: every form of SKAdNetwork 4.0, and AdAttributionKit"
curl -sS "$signer/v1/openrtb/skadn" -H 'Content-Type: application/json' --data-binary @- <<'JSON' \
    | expect '"status":"signed".*"skadn":.*"fidelities".*"adattributionkit":'
{"skadn": {"versions": ["2.0", "3.0", "4.0"], "sourceapp": "1234567891", "skadnetids": ["example123.skadnetwork"]},
 "adattributionkit": {"version": ["1.0"], "sourceapp": "1234567891", "skadnetids": ["example123.skadnetwork"]},
 "advertise": {"itunesitem": "525463029", "sourceidentifier": "5239"}}
JSON

say "6. A web ad: its link is issued, a device taps it, gets the signed payload once, installs, and sends its postback"
"$skan" web-ad issue --store skan.sqlite --network example123.skadnetwork --source-identifier 3120 \
    --advertised-app 525463029 --source-domain example.com --destination https://network.example >link.json
expect '"attributionSourceNonce"' <link.json
run "$skan" web-ad tap --source-domain example.com --network-key key.pem --keys keys \
    --url "${postbacks%/skadnetwork/postbacks}" <link.json \
    | expect '^tapped 1: valid payloads 1, postbacks recorded 1$'

say "7. A month of simulated traffic in both frameworks: repeats, replays, forgeries, broken bodies"
run "$skan" simulate --count 2000 --keys keys --post "$postbacks" --report-url "$console" \
    | expect '^the report agrees with what was sent in every figure$'

say "8. The campaign report: real installs"
run "$skan" report --store skan.sqlite | expect '^total +5 +4 +2 '

say "9. Not in the real numbers: simulated traffic in both frameworks, and a postback made on a developer's phone"
run "$skan" report --store skan.sqlite --test --by framework,conversion-type | expect '^total +2001 '
run "$skan" report --store skan.sqlite --development --by network,conversion-type,interaction-type | expect '^total +1 '

say "10. Everything is verified and counted again from the raw bytes"
run "$skan" recount --store skan.sqlite \
    --trust-test-key keys/test-p192.public.pem --trust-test-key keys/test-p256.public.pem \
    | expect '^2007 postbacks read again, 2007 verified again; differences: 0$'

say "11. The server stops on SIGTERM"
kill -TERM "$server"
wait "$server" || { echo "the server ended with status $?"; exit 1; }
server=
tail -1 server.log | expect 'notice stopped$'

say "12. What an install cost: ads that were signed elsewhere, and spend, are imported"
day=$(date -u +%F)
cat >signed.ndjson <<JSON
{"version":1,"writer":"68483ef6-0678-40df-859b-1b8f3f2d7b21","sequence":1,"from":"${day}T00:00:00Z","to":"${day}T00:01:00Z","network":"com.example","app":525463029,"source-identifier":5239,"signed":500}
JSON
cat >spend.csv <<CSV
date,ad-network-id,app-id,campaign-id,source-identifier,currency,amount
$day,com.example,525463029,,39,USD,9.50
CSV
run "$skan" import --store skan.sqlite --impressions signed.ndjson --spend spend.csv \
    | expect '^spend.csv: amounts recorded 1$'
run "$skan" report costs --store skan.sqlite | expect '^USD +9[.]50 +1 +9[.]50 +2 +4[.]75$'

say "A month of data, and the page that shows it: skan demo"
