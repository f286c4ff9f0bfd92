// The parts of the system's OpenSSL (3.0 or later) that we need.

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL's that Swift cannot call, as functions.

static inline int SSLContextSetMinimumVersion(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void SSLContextSetMode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void SSLContextSetOptions(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}

static inline void SSLContextKeepNoSessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int SSLContextAddChainCertificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int SSLSetServerName(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}
