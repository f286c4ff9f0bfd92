import COpenSSL

/// A public key with which OpenSSL's library verifies signatures; one thread uses it.
///
/// It shares nothing with the product but the library itself, and is a hundred times as fast as the `openssl` command.
final class LibcryptoKey {
    struct Unreadable: Error {}

    private let key: OpaquePointer

    /// Reads a public key in PEM.
    init(pem: String) throws {
        let key = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return PEM_read_bio_PUBKEY(input, nil, nil, nil)
        }
        guard let key else { throw Unreadable() }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether a signature in DER over the SHA-256 of a message verifies.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        defer { ERR_clear_error() }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Whether the signature of a compact JWS verifies, r and s one after the other.
    func verifies(jws: String) -> Bool {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let raw = Self.base64URL(String(parts[2])), raw.count == 64 else { return false }
        let numbers = Self.integer(raw[..<32]) + Self.integer(raw[32...])
        return verifies([0x30, UInt8(numbers.count)] + numbers, over: Array("\(parts[0]).\(parts[1])".utf8))
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let number = digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits
        return [0x02, UInt8(number.count)] + number
    }

    /// The bytes of base64url without padding.
    static func base64URL(_ text: String) -> [UInt8]? {
        let base64 = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return bytes(ofBase64: String(base64) + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }

    /// The bytes of base64.
    static func bytes(ofBase64 text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3 + 3)
        let count = EVP_DecodeBlock(&bytes, Array(text.utf8), Int32(text.utf8.count))
        guard count >= 0 else { return nil }
        // It counts the padding as zeros.
        return Array(bytes.prefix(Int(count) - text.reversed().prefix { $0 == "=" }.count))
    }
}
