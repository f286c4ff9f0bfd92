"""Verifies a compact JWS with PyJWT, an implementation of JOSE that shares nothing with this one.

usage: verify_jws.py PUBLIC_KEY_PEM < JWS
Prints the header and the payload as one JSON object; fails when the signature or the form is wrong.
"""

import json
import sys

import jwt

with open(sys.argv[1], encoding="ascii") as file:
    key = file.read()
token = sys.stdin.read().strip()
payload = jwt.decode(token, key, algorithms=["ES256"])
json.dump({"header": jwt.get_unverified_header(token), "payload": payload}, sys.stdout)
