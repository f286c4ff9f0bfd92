import COpenSSL
import FixedKeyECDSA

/// An OpenSSL key, to check every verdict.
final class OpenSSLKey {
    let curve: ECDSACurve
    /// The public point, uncompressed.
    let point: [UInt8]
    private let key: OpaquePointer

    /// A public key, `nil` if OpenSSL refuses it.
    init?(point: [UInt8], on curve: ECDSACurve) {
        self.curve = curve
        self.point = point
        let info = curve.publicKeyInfoPrefix + point
        var start: UnsafePointer<UInt8>?
        let read = info.withUnsafeBufferPointer { info in
            start = info.baseAddress
            return d2i_PUBKEY(nil, &start, info.count)
        }
        guard let read else { return nil }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    /// The same key for the verifier.
    var publicKey: ECDSAPublicKey {
        get throws { try ECDSAPublicKey(x963: point, on: curve) }
    }

    /// OpenSSL's verdict; an unreadable signature does not verify.
    func verifies(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        let context = EVP_PKEY_CTX_new(key, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}
