#!/bin/sh
# From a bid request on standard input to a bid response on standard output, with curl and jq:
#
#   skan serve --signing 127.0.0.1:8082 --signing-keys networks.json &
#   ./bid.sh < bid-request.json
#
# SKAN_SIGNER is where the server signs, SKAN_TOKEN a token with the scope sign, if it wants one.
set -eu
signer=${SKAN_SIGNER:-http://127.0.0.1:8082}
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# What to advertise in which imp is the bidder's decision; the rest of the request goes on as it came.
request=$(jq -c '.advertise = [
    {impid: "1", itunesitem: 525463029, sourceidentifier: 5239, campaign: 42},
    {impid: "2", itunesitem: 525463029, sourceidentifier: 5240, campaign: 43, fidelities: [1]}]')
status=$(printf '%s' "$request" | curl -sS --max-time 5 -o "$answer" -w '%{http_code}' \
    -H 'Content-Type: application/json' ${SKAN_TOKEN:+-H "Authorization: Bearer $SKAN_TOKEN"} \
    --data-binary @- "$signer/v1/openrtb/skadn")

# 200: all extensions are signed. 207: some are, and the refusals say why the others are not. Otherwise: none.
case $status in
    200) ;;
    207) jq -c '.bids[].refusals[]?' "$answer" >&2 ;;
    *) cat "$answer" >&2; exit 1 ;;
esac
printf '%s' "$request" | jq --slurpfile signed "$answer" '{
    id: .id, cur: "USD",
    seatbid: [{bid: [$signed[0].bids[] | select(.ext) | {
        id: ("bid-" + .impid), impid, price: 3.1, adm: "<ad markup>", adomain: ["example.com"],
        bundle: "525463029", ext}]}]}'
