#!/usr/bin/env bash
# Puts requests made from openapi.yaml to the three listeners of a server of its own: Tests/schemathesis/run.sh SKAN SCHEMATHESIS
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
skan=$(realpath "$1")
schemathesis=$(realpath --no-symlinks "$2")
examples=${EXAMPLES:-100}
description=$here/../../Sources/CAPIDescription/openapi.yaml
config=$here/schemathesis.toml

folder=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" && wait "$server" || true; fi
    rm -rf "$folder"
}
trap finish EXIT

cd "$folder"
"$skan" keys generate --curve p192 old.pem 2>/dev/null
"$skan" keys generate new.pem 2>/dev/null
cat > keys.json <<'KEYS'
{"keys": [{"ad-network-id": "example123.skadnetwork", "file": "old.pem", "versions": "1.0-2.0", "use": "active"},
          {"ad-network-id": "example123.skadnetwork", "file": "new.pem", "versions": "2.1-4.0", "use": "active"}]}
KEYS
token=$("$skan" tokens create --name schemathesis --scope sign,report --file tokens.json)

"$skan" serve --listen 127.0.0.1:0 --console 127.0.0.1:0 --signing 127.0.0.1:0 --store skan.sqlite --signing-keys keys.json \
    --tokens tokens.json --sign-rate 1000000 2> log &
server=$!
# The address of a listener once it says that it listens; fails when the server has ended.
address() {
    until sed -n "s/.* listening for $1 address=\([^ ]*\).*/\1/p" log | grep .; do
        kill -0 "$server" || { cat log >&2; exit 1; }
        sleep 0.1
    done
}
public=$(address postbacks)
console=$(address "the console")
signing=$(address signing)

run() {
    "$schemathesis" --config-file "$config" run "$description" --include-tag "$1" --url "http://$2" \
        --max-examples "$examples" --seed 1 --continue-on-failure --generation-database none "${@:3}"
}
status=0
run public "$public" || status=1
# schemathesis writes no NDJSON, so the route of batches is left out.
run signing "$signing" --exclude-path /v1/impressions/batch \
    --header "Authorization: Bearer $token" || status=1
run console "$console" --header "Authorization: Bearer $token" || status=1
exit $status
