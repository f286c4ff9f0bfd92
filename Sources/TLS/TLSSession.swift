import COpenSSL
import NIOCore

/// OpenSSL's side of a connection, without a socket: bytes go in, bytes come out.
///
/// Everything that OpenSSL writes stays in memory until ``output()`` takes it.
final class TLSSession {
    /// What came of a step.
    enum Outcome {
        case done
        /// It goes on with the peer's next bytes.
        case needsInput
        /// The peer said that it sends nothing more.
        case ended
        case failed(TLSError)
    }

    private static let recordBytes = 16 << 10

    private let session: OpaquePointer
    private let input: OpaquePointer
    private let written: OpaquePointer

    /// Begins a connection.
    ///
    /// - Parameters:
    ///   - context: A server's or a client's.
    ///   - serverName: The name or address that the server's certificate must carry; nil for a server.
    /// - Throws: ``TLSError/unavailable``.
    init(_ context: TLSContext, serverName: String?) throws(TLSError) {
        ERR_clear_error()
        guard let session = SSL_new(context.pointer) else {
            throw .unavailable
        }
        guard let input = BIO_new(BIO_s_mem()), let written = BIO_new(BIO_s_mem()) else {
            // The first of the two, if any, is lost with the process, which has no memory left.
            SSL_free(session)
            throw .unavailable
        }
        // Which frees both with the session.
        SSL_set_bio(session, input, written)
        (self.session, self.input, self.written) = (session, input, written)
        guard let serverName else {
            SSL_set_accept_state(session)
            return
        }
        SSL_set_connect_state(session)
        guard Self.require(serverName, session) else {
            throw .unavailable
        }
    }

    deinit {
        SSL_free(session)
    }

    /// Has the server's certificate compared as devices compare it: without the subject, whose name is none of a host.
    private static func require(_ name: String, _ session: OpaquePointer) -> Bool {
        SSL_set_hostflags(
            session, CUnsignedInt(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1 {
            return true
        }
        // TLS sends names of servers, not addresses.
        return SSL_set1_host(session, name) == 1 && SSLSetServerName(session, name) == 1
    }

    // MARK: Steps

    /// Takes bytes of the peer's.
    func receive(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { bytes in
            // Memory takes all of them; more than the largest CInt never arrive at once.
            _ = BIO_write(input, bytes.baseAddress, CInt(bytes.count))
        }
    }

    /// Goes on with the handshake.
    func shakeHands() -> Outcome {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        guard result != 1 else {
            return .done
        }
        return outcome(result) { reason in
            switch CInt(SSL_get_verify_result(session)) {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
            default: .handshakeFailed(reason: reason)
            }
        }
    }

    /// Appends what the peer sent; done when there may be more.
    func read(into buffer: inout ByteBuffer) -> Outcome {
        ERR_clear_error()
        var result: CInt = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordBytes) { space in
            result = SSL_read(session, space.baseAddress, CInt(clamping: space.count))
            return max(0, Int(result))
        }
        guard result <= 0 else {
            return .done
        }
        return outcome(result) { .protocolViolation(reason: $0) }
    }

    /// Encrypts bytes.
    func write(_ bytes: ByteBuffer) -> Outcome {
        guard bytes.readableBytes > 0 else {
            return .done
        }
        ERR_clear_error()
        var count = 0
        let result = bytes.withUnsafeReadableBytes { bytes in
            SSL_write_ex(session, bytes.baseAddress, bytes.count, &count)
        }
        // Memory takes all of it, and there is no renegotiation for which a write would have to wait.
        guard result == 1 else {
            return outcome(result) { .protocolViolation(reason: $0) }
        }
        return .done
    }

    /// Says that nothing more is sent.
    func close() {
        ERR_clear_error()
        SSL_shutdown(session)
        ERR_clear_error()
    }

    /// Takes the bytes for the peer.
    func output() -> ByteBuffer {
        let count = BIO_ctrl_pending(written)
        var bytes = ByteBuffer()
        guard count > 0 else {
            return bytes
        }
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            max(0, Int(BIO_read(written, space.baseAddress, CInt(clamping: count))))
        }
        return bytes
    }

    // MARK: The peer

    /// The version, for example `TLSv1.3`.
    var version: String {
        String(cString: SSL_get_version(session))
    }

    /// The certificate that a server showed.
    var peerCertificate: TLSCertificate? {
        SSL_get0_peer_certificate(session).flatMap(TLSCertificate.init)
    }

    private func outcome(_ result: CInt, _ error: (_ reason: String) -> TLSError) -> Outcome {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .needsInput
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(error(Self.reason()))
        }
    }

    /// OpenSSL's word for the oldest error, for logs.
    private static func reason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
