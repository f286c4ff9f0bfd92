/// Errors of TLS contexts and connections.
package enum TLSError: Error, Hashable, Sendable {
    /// What should be PEM is not, or not of the kind that is needed; a key with a passphrase is none either.
    case invalidPEM
    /// The certificate and the key do not belong together, or OpenSSL does not take one of them.
    case unusableIdentity
    /// The peers agreed on nothing, one does not trust the other, or the connection ended meanwhile.
    case handshakeFailed(reason: String)
    /// The server's certificate is for another name.
    case wrongName
    /// The peer closed the connection without the alert that tells that nothing is missing.
    case uncleanShutdown
    /// The peer sent something that is not TLS, or was changed on its way.
    case protocolViolation(reason: String)
    /// OpenSSL has no memory left, or was built without what is needed.
    case unavailable
}
