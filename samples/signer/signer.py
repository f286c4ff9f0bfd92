#!/usr/bin/python3
"""An external signer for skan: signs digests with the keys of a PKCS#11 token, such as an HSM or SoftHSM.

Debian's python3-pykcs11, and the token's own module. The PIN is in a file that only its owner can read.

    signer.py --module /usr/lib/softhsm/libsofthsm2.so --token skan --pin-file pin generate p256-2026
    signer.py --module … --token skan --pin-file pin public p256-2026 >p256-2026.public.pem
    signer.py --module … --token skan --pin-file pin serve signer.sock

The protocol, a line of JSON for each request and answer, is described in
Sources/AttributionServer/AttributionServer.docc/ExternalSigners.md. A signer for a KMS differs in `Token` alone.
"""

import argparse
import base64
import json
import os
import queue
import signal
import socket
import sys
import threading

import PyKCS11
from PyKCS11 import LowLevel as p11

# The object identifier of prime256v1, and what precedes the point of a public key on it (RFC 5480).
P256 = bytes.fromhex("06082a8648ce3d030107")
SPKI_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")


class Refused(Exception):
    """Why a digest is not signed, in a word of lower-case letters, digits and hyphens."""


class Token:
    """A session with a token. One thread uses it at a time."""

    library = None

    def __init__(self, module, label, pin):
        if Token.library is None:
            Token.library = PyKCS11.PyKCS11Lib()
            Token.library.load(module)
        for slot in Token.library.getSlotList(tokenPresent=True):
            if Token.library.getTokenInfo(slot).label.strip("\0 ") == label:
                break
        else:
            sys.exit(f"signer: no token is called {label}")
        self.session = Token.library.openSession(slot, p11.CKF_SERIAL_SESSION | p11.CKF_RW_SESSION)
        try:
            self.session.login(pin)
        except PyKCS11.PyKCS11Error as error:
            # All sessions of a process share the login.
            if error.value != p11.CKR_USER_ALREADY_LOGGED_IN:
                raise
        self.keys = {}

    def find(self, key, kind):
        found = self.session.findObjects([(p11.CKA_CLASS, kind), (p11.CKA_LABEL, key)])
        if not found:
            raise Refused("no-such-key")
        return found[0]

    def sign(self, key, digest):
        """The signature of a digest in DER; a token makes r and s, one after the other."""
        if key not in self.keys:
            self.keys[key] = self.find(key, p11.CKO_PRIVATE_KEY)
        try:
            raw = bytes(self.session.sign(self.keys[key], digest, PyKCS11.Mechanism(p11.CKM_ECDSA, None)))
        except PyKCS11.PyKCS11Error as error:
            print(f"signer: {key}: {error}", file=sys.stderr, flush=True)
            raise Refused("token-failed") from error
        half = len(raw) // 2
        return sequence(integer(raw[:half]) + integer(raw[half:]))

    def generate(self, key):
        common = [(p11.CKA_LABEL, key), (p11.CKA_ID, key.encode()), (p11.CKA_TOKEN, True)]
        public = [(p11.CKA_EC_PARAMS, P256), (p11.CKA_VERIFY, True), (p11.CKA_PRIVATE, False)]
        private = [(p11.CKA_SIGN, True), (p11.CKA_SENSITIVE, True), (p11.CKA_EXTRACTABLE, False), (p11.CKA_PRIVATE, True)]
        mechanism = PyKCS11.Mechanism(p11.CKM_EC_KEY_PAIR_GEN, None)
        self.session.generateKeyPair(common + public, common + private, mecha=mechanism)

    def public(self, key):
        point = bytes(self.session.getAttributeValue(self.find(key, p11.CKO_PUBLIC_KEY), [p11.CKA_EC_POINT])[0])
        text = base64.b64encode(SPKI_PREFIX + point[-65:]).decode()
        lines = [text[start : start + 64] for start in range(0, len(text), 64)]
        return "\n".join(["-----BEGIN PUBLIC KEY-----", *lines, "-----END PUBLIC KEY-----"])


def integer(number):
    number = number.lstrip(b"\0")
    if not number or number[0] >= 0x80:
        number = b"\0" + number
    return b"\x02" + bytes([len(number)]) + number


def sequence(content):
    return b"\x30" + bytes([len(content)]) + content


class Client:
    """A connection of skan, to which several threads answer."""

    def __init__(self, connection):
        self.connection = connection
        self.lock = threading.Lock()

    def answer(self, **members):
        line = json.dumps(members).encode() + b"\n"
        try:
            with self.lock:
                self.connection.sendall(line)
        except OSError:
            pass  # It is gone, and has refused what it waited for.


def read(connection, requests):
    """Takes the requests of a connection until it ends."""
    client = Client(connection)
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            try:
                request = json.loads(line)
                digest = base64.b64decode(request["digest"], validate=True)
                number, key = int(request["id"]), str(request["key"])
            except (KeyError, TypeError, ValueError) as error:
                print(f"signer: not a request: {error}", file=sys.stderr, flush=True)
                return
            if len(digest) == 32:
                requests.put((client, number, key, digest))
            else:
                client.answer(id=number, error="not-a-digest")


def work(token, requests):
    """Signs what waits, with a session of its own."""
    while True:
        client, number, key, digest = requests.get()
        try:
            signature = token.sign(key, digest)
        except Refused as reason:
            client.answer(id=number, error=str(reason))
        else:
            client.answer(id=number, signature=base64.b64encode(signature).decode())


def serve(arguments, pin):
    requests = queue.Queue(maxsize=4096)
    for _ in range(arguments.sessions):
        token = Token(arguments.module, arguments.token, pin)
        threading.Thread(target=work, args=(token, requests), daemon=True).start()
    listener = socket.socket(socket.AF_UNIX)
    # Only our own user may connect, from the moment it exists.
    os.umask(0o177)
    if os.path.exists(arguments.socket):
        os.unlink(arguments.socket)
    listener.bind(arguments.socket)
    listener.listen()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"signer: listening at {arguments.socket}", file=sys.stderr, flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=read, args=(connection, requests), daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description="An external signer for skan with the keys of a PKCS#11 token.")
    parser.add_argument("--module", required=True, help="the token's PKCS#11 module")
    parser.add_argument("--token", required=True, help="the label of the token")
    parser.add_argument("--pin-file", required=True, help="a file with the PIN")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("generate", help="make a key on P-256 that never leaves the token")
    command.add_argument("key", help="its label, the key-id in skan's list of keys")
    command = commands.add_parser("public", help="print the public half of a key, for Apple and skan's list of keys")
    command.add_argument("key")
    command = commands.add_parser("serve", help="sign what skan requests")
    command.add_argument("socket")
    command.add_argument("--sessions", type=int, default=2, help="how many sign at a time")
    arguments = parser.parse_args()
    with open(arguments.pin_file, encoding="utf-8") as file:
        pin = file.read().strip()
    if arguments.command == "serve":
        return serve(arguments, pin)
    token = Token(arguments.module, arguments.token, pin)
    try:
        if arguments.command == "generate":
            return token.generate(arguments.key)
        print(token.public(arguments.key))
    except Refused as reason:
        sys.exit(f"signer: {arguments.key}: {reason}")


if __name__ == "__main__":
    main()
