import COpenSSL

/// A SHA-256 hasher that uses the system's OpenSSL.
///
/// Reuse one for many digests to avoid an allocation for each.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// Begins the first digest.
    package init() {
        guard let context = EVP_MD_CTX_new() else {
            fatalError("OpenSSL is out of memory")
        }
        self.context = context
        begin()
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    private func begin() {
        check(EVP_DigestInit_ex2(context, Self.algorithm.pointer, nil))
    }

    /// Adds bytes to the current digest.
    package mutating func update(_ bytes: [UInt8]) {
        check(EVP_DigestUpdate(context, bytes, bytes.count))
    }

    /// Returns the current digest and begins the next.
    package mutating func finish() -> SHA256Digest {
        var words = SIMD4<UInt64>.zero
        withUnsafeMutableBytes(of: &words) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            check(EVP_DigestFinal_ex(context, start, nil))
        }
        begin()
        return SHA256Digest(
            words: SIMD4(
                UInt64(bigEndian: words[0]), UInt64(bigEndian: words[1]), UInt64(bigEndian: words[2]),
                UInt64(bigEndian: words[3])))
    }

    /// The digest of what was added so far; more may be added.
    package borrowing func digestSoFar() -> SHA256Digest {
        var copy = SHA256()
        check(EVP_MD_CTX_copy_ex(copy.context, context))
        return copy.finish()
    }

    /// The digest of some bytes.
    package static func digest(of bytes: [UInt8]) -> SHA256Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// The digest of a text's UTF-8.
    package static func digest(of text: String) -> SHA256Digest {
        digest(of: Array(text.utf8))
    }

    /// Traps on an error; it is never caused by input, only by an OpenSSL without SHA-256 or by lack of memory.
    private func check(_ result: CInt) {
        precondition(result == 1, "OpenSSL cannot compute SHA-256 digests")
    }

    /// Fetched once, which saves a microsecond per digest.
    private static let algorithm = Algorithm()

    /// OpenSSL's SHA-256.
    ///
    /// Sendable because OpenSSL never changes a fetched algorithm.
    private final class Algorithm: @unchecked Sendable {
        let pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }
}

extension SHA256 {
    /// The message authentication code of some bytes under a key: HMAC-SHA-256 (RFC 2104).
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, bytes, bytes.count, &code, code.count, &count)
        precondition(result != nil && count == code.count, "OpenSSL cannot compute HMACs")
        return code
    }
}

package struct SHA256Digest: Hashable, Sendable {
    /// The 32 bytes as four big-endian numbers.
    package let words: SIMD4<UInt64>

    package init(words: SIMD4<UInt64>) {
        self.words = words
    }

    /// Calls a closure with the 32 bytes.
    package func withBytes<Result>(_ use: (Span<UInt8>) -> Result) -> Result {
        let bigEndian = (words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian)
        return withUnsafeBytes(of: bigEndian) { use($0.bindMemory(to: UInt8.self).span) }
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        withBytes { span in span.withUnsafeBufferPointer { Array($0) } }
    }

    /// The digest as 64 hexadecimal digits in lower case.
    package var hexadecimal: String {
        (0..<4).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
