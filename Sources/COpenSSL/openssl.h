// The parts of the system's OpenSSL (3.0 or later) that we need.

// Nothing else signs with an inverse of the nonce that was made elsewhere, which signing many at once takes.
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
