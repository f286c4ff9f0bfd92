// The parts of the system's OpenSSL (3.0 or later) that we need.

// Its newer interface makes and inverts each nonce itself; signing many digests together inverts the nonces of all at
// once, which only ECDSA_sign_ex and its like, deprecated since 3.0, allow.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
