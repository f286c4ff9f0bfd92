import COpenSSL

/// A test key that plays Apple; OpenSSL signs, at 30 thousand and more a second on a core.
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
