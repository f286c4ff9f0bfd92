import COpenSSL

/// What the connections of a server, or those of clients, have in common: TLS 1.2 or later, and HTTP/1.1 by ALPN.
///
/// Sendable because nothing changes it after its initializer, and OpenSSL counts its references atomically.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool

    /// Forward secrecy only, as devices ask for; TLS 1.3 has nothing else.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES256:ECDHE+AES128"

    private init(
        isServer: Bool, _ configure: (OpaquePointer) throws(TLSError) -> Void
    ) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .unavailable
        }
        self.pointer = pointer
        self.isServer = isServer
        guard SSLContextSetMinimumVersion(pointer, TLS1_2_VERSION) == 1,
            SSL_CTX_set_cipher_list(pointer, Self.ciphers) == 1
        else {
            throw .unavailable
        }
        // A handshake that can be asked for again and again costs the server most.
        SSLContextSetOptions(pointer)
        // Idle connections are many; each would keep two buffers of 16 KiB.
        SSLContextSetMode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
        try configure(pointer)
        ERR_clear_error()
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// A server's context.
    ///
    /// - Parameters:
    ///   - certificateChain: The server's certificate and then the intermediate ones, in PEM.
    ///   - privateKey: Its private key in PEM, without a passphrase.
    /// - Returns: The context.
    /// - Throws: ``TLSError/invalidPEM``, ``TLSError/unusableIdentity`` or ``TLSError/unavailable``.
    package static func server(certificateChain: [UInt8], privateKey: [UInt8]) throws(TLSError) -> TLSContext {
        let chain = try PEM(certificateChain).certificates()
        defer { chain.forEach { X509_free($0) } }
        let key = try PEM(privateKey).privateKey()
        defer { EVP_PKEY_free(key) }
        return try TLSContext(isServer: true) { context throws(TLSError) in
            // Clients keep their sessions as tickets.
            SSLContextKeepNoSessions(context)
            SSL_CTX_set_alpn_select_cb(context, selectHTTP, nil)
            guard SSL_CTX_use_certificate(context, chain[0]) == 1, SSL_CTX_use_PrivateKey(context, key) == 1,
                SSL_CTX_check_private_key(context) == 1,
                chain.dropFirst().allSatisfy({ SSLContextAddChainCertificate(context, $0) == 1 })
            else {
                throw .unusableIdentity
            }
        }
    }

    /// The certificates in PEM, without their use.
    ///
    /// - Parameter pem: One or more certificates.
    /// - Returns: Each in turn.
    /// - Throws: ``TLSError/invalidPEM``.
    package static func certificates(inPEM pem: [UInt8]) throws(TLSError) -> [TLSCertificate] {
        let chain = try PEM(pem).certificates()
        defer { chain.forEach { X509_free($0) } }
        let certificates = chain.compactMap(TLSCertificate.init)
        guard certificates.count == chain.count else {
            throw .invalidPEM
        }
        return certificates
    }

    /// Whether a private key can be read.
    ///
    /// - Parameter pem: The key, without a passphrase.
    /// - Throws: ``TLSError/invalidPEM``.
    package static func checkPrivateKey(inPEM pem: [UInt8]) throws(TLSError) {
        EVP_PKEY_free(try PEM(pem).privateKey())
    }

    /// A client's context, which trusts whom the system trusts.
    ///
    /// - Returns: The context; making it takes a while, for OpenSSL reads the system's certificates.
    /// - Throws: ``TLSError/unavailable``.
    package static func client() throws(TLSError) -> TLSContext {
        try TLSContext(isServer: false) { context throws(TLSError) in
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            // The one function of OpenSSL whose success is 0.
            guard SSL_CTX_set_default_verify_paths(context) == 1,
                SSL_CTX_set_alpn_protos(context, http, CUnsignedInt(http.count)) == 0
            else {
                throw .unavailable
            }
        }
    }

    // MARK: ALPN

    /// `http/1.1`, after its length.
    private static let http: [UInt8] = [8] + Array("http/1.1".utf8)

    /// Selects HTTP/1.1 where the client offers it; one that offers only others goes on without ALPN.
    private static let selectHTTP:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
        ) -> CInt = { _, selected, length, offered, count, _ in
            var rest = UnsafeBufferPointer(start: offered, count: Int(count))[...]
            while let size = rest.first, rest.count > size {
                if rest.prefix(1 + Int(size)).elementsEqual(http) {
                    selected?.pointee = rest.base.baseAddress.map { $0 + rest.startIndex + 1 }
                    length?.pointee = size
                    return SSL_TLSEXT_ERR_OK
                }
                rest = rest.dropFirst(1 + Int(size))
            }
            return SSL_TLSEXT_ERR_NOACK
        }
}
