import COpenSSL

/// A private key for OpenSSL, which signs 30 thousand and more a second on a core: one that plays Apple, or the
/// network's, with which is checked what the server signed.
final class SigningKey {
    private let key: OpaquePointer
    private let context: OpaquePointer

    init(pem: String) throws {
        let read = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            // OpenSSL reads the bytes where they are, until the BIO is freed.
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(bio) }
            return PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        }
        guard let key = read, let context = EVP_MD_CTX_new() else {
            throw BenchmarkFailure("OpenSSL cannot read the test key")
        }
        self.key = key
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_PKEY_free(key)
    }

    /// ECDSA with SHA-256, as DER.
    func signature(for text: [UInt8]) throws -> [UInt8] {
        var count = 128
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, text, text.count) == 1
        else {
            throw BenchmarkFailure("OpenSSL cannot sign")
        }
        signature.removeSubrange(count...)
        return signature
    }

    /// Whether this key made a DER signature, ECDSA with SHA-256, over a text.
    func verifies(_ signature: [UInt8], for text: [UInt8]) throws -> Bool {
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else {
            throw BenchmarkFailure("OpenSSL cannot verify")
        }
        return EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }

    /// r‖s of 32 bytes each, as JWS has it, from DER.
    static func concatenated(der: [UInt8]) throws -> [UInt8] {
        let signature = der.withUnsafeBufferPointer { bytes in
            var place = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &place, bytes.count)
        }
        defer { ECDSA_SIG_free(signature) }
        var halves = [UInt8](repeating: 0, count: 64)
        let isWritten = halves.withUnsafeMutableBufferPointer { bytes in
            guard let signature, let start = bytes.baseAddress else {
                return false
            }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        guard isWritten else {
            throw BenchmarkFailure("OpenSSL cannot read a signature")
        }
        return halves
    }

    /// DER from r‖s of 32 bytes each.
    static func der(concatenated halves: [UInt8]) throws -> [UInt8] {
        guard halves.count == 64, let signature = ECDSA_SIG_new() else {
            throw BenchmarkFailure("a signature of a JWS has \(halves.count) bytes, expected 64")
        }
        defer { ECDSA_SIG_free(signature) }
        // The signature owns both numbers from here on.
        ECDSA_SIG_set0(
            signature, BN_bin2bn(Array(halves.prefix(32)), 32, nil), BN_bin2bn(Array(halves.suffix(32)), 32, nil))
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_ECDSA_SIG(signature, &bytes))
        guard let bytes, count > 0 else {
            throw BenchmarkFailure("OpenSSL cannot write a signature")
        }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// The public key as an uncompressed point, with which its SubjectPublicKeyInfo ends.
    func publicPoint(byteCount: Int) throws -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PUBKEY(key, &bytes))
        guard let bytes, count >= byteCount else {
            throw BenchmarkFailure("OpenSSL cannot write the public key")
        }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: count).suffix(byteCount))
    }
}
