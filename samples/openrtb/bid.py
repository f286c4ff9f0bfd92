#!/usr/bin/env python3
"""From a bid request on standard input to a bid response on standard output, with Python's standard library:

    skan serve --signing 127.0.0.1:8082 --signing-keys networks.json &
    ./bid.py < bid-request.json

SKAN_SIGNER is where the server signs, SKAN_TOKEN a token with the scope sign, if it wants one.
"""
import json
import os
import sys
import urllib.error
import urllib.request

SIGNER = os.environ.get("SKAN_SIGNER", "http://127.0.0.1:8082")


def sign(bid_request, advertise):
    """The extensions for each bid; what was refused goes to standard error."""
    headers = {"Content-Type": "application/json"}
    if "SKAN_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["SKAN_TOKEN"]
    body = json.dumps({**bid_request, "advertise": advertise}).encode()
    request = urllib.request.Request(SIGNER + "/v1/openrtb/skadn", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            answer = json.load(response)
            # 200: all extensions are signed. 207: some are.
            if response.status == 207:
                for bid in answer["bids"]:
                    for refusal in bid.get("refusals", []):
                        print(json.dumps(refusal), file=sys.stderr)
            return [bid for bid in answer["bids"] if "ext" in bid]
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode())


# What to advertise in which imp is the bidder's decision.
bid_request = json.load(sys.stdin)
advertise = [
    {"impid": "1", "itunesitem": 525463029, "sourceidentifier": 5239, "campaign": 42},
    {"impid": "2", "itunesitem": 525463029, "sourceidentifier": 5240, "campaign": 43, "fidelities": [1]},
]
bids = [
    {
        "id": "bid-" + bid["impid"], "impid": bid["impid"], "price": 3.1, "adm": "<ad markup>",
        "adomain": ["example.com"], "bundle": "525463029", "ext": bid["ext"],
    }
    for bid in sign(bid_request, advertise)
]
json.dump({"id": bid_request["id"], "cur": "USD", "seatbid": [{"bid": bids}]}, sys.stdout, indent=2)
print()
