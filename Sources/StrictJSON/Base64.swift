/// Standard base64 with padding (RFC 4648, section 4), read strictly.
package enum Base64 {
    /// Decodes a text, or returns nil for bytes outside the alphabet, missing padding, or nonzero trailing bits.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(utf8: $0) }
    }

    /// Decodes a text given as UTF-8, with the same rules.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else {
            return nil
        }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard padding == 0 || text.last == UInt8(ascii: "=") else {
            return nil
        }
        return Base64Alphabet.standard.decode(UnsafeBufferPointer(rebasing: text.dropLast(padding)))
    }

    /// Encodes bytes with padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(bytes, isPadded: true)
    }
}

/// Base64url without padding (RFC 4648, section 5), read strictly: each byte sequence has exactly one encoding.
package enum Base64URL {
    /// Decodes ASCII text, or returns nil for padding, bytes outside the alphabet, an impossible length, or nonzero
    /// trailing bits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable(decode(utf8:)) ?? Array(text).withUnsafeBufferPointer(decode(utf8:))
    }

    /// Decodes a text given as UTF-8, with the same rules.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(text)
    }

    /// Encodes bytes without padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.encode(bytes, isPadded: false)
    }

    /// Encodes bytes without padding at the end of a text.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Alphabet.url.append(bytes, to: &text, isPadded: false)
    }
}

/// The digits of one form of base64 (RFC 4648), and what both forms have in common: everything but the padding.
struct Base64Alphabet: Sendable {
    /// Standard base64, section 4.
    static let standard = Base64Alphabet("+/")
    /// Base64url, section 5.
    static let url = Base64Alphabet("-_")

    private let digits: [UInt8]
    /// The value of each byte, 255 for a byte outside the alphabet.
    private let values: [UInt8]

    private init(_ last: String) {
        digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in digits.enumerated() {
            values[Int(byte)] = UInt8(value)
        }
        self.values = values
    }

    /// Decodes digits without padding.
    ///
    /// - Returns: The bytes; nil for bytes outside the alphabet, an impossible length, or nonzero trailing bits.
    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        // A single remaining digit cannot encode a byte.
        guard rest != 1 else {
            return nil
        }
        // Valid values are below 64, so a higher bit reveals any other byte.
        var seen: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { output, count in
            values.withUnsafeBufferPointer { values in
                var index = 0
                while index + 4 <= text.count {
                    let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
                    let (c, d) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
                    seen |= a | b | c | d
                    output[count] = a << 2 | b >> 4
                    output[count + 1] = b << 4 | c >> 2
                    output[count + 2] = c << 6 | d
                    count += 3
                    index += 4
                }
                guard rest > 0 else {
                    return
                }
                let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
                let c = rest == 3 ? values[Int(text[index + 2])] : 0
                // Trailing bits must be zero, or two texts would decode to the same bytes.
                let unused = rest == 3 ? c & 0b11 : b & 0b1111
                seen |= a | b | c | (unused == 0 ? 0 : 255)
                output[count] = a << 2 | b >> 4
                count += 1
                if rest == 3 {
                    output[count] = b << 4 | c >> 2
                    count += 1
                }
            }
        }
        return seen < 64 ? bytes : nil
    }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, with digits: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>, isPadded: Bool
    ) -> Int {
        var count = 0
        var start = 0
        while start < bytes.count {
            let size = min(3, bytes.count - start)
            var bits = UInt32(bytes[start]) << 16
            if size > 1 { bits |= UInt32(bytes[start + 1]) << 8 }
            if size > 2 { bits |= UInt32(bytes[start + 2]) }
            for index in 0...size {
                output[count] = digits[Int(bits >> UInt32(18 - 6 * index) & 63)]
                count += 1
            }
            start += size
        }
        while isPadded, !count.isMultiple(of: 4) {
            output[count] = UInt8(ascii: "=")
            count += 1
        }
        return count
    }

    /// Encodes bytes.
    func encode(_ bytes: some Collection<UInt8>, isPadded: Bool) -> String {
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: Self.capacity(bytes)) { output in
            encode(bytes, into: output, isPadded: isPadded)
        }
    }

    /// Encodes bytes at the end of a text.
    func append(_ bytes: [UInt8], to text: inout [UInt8], isPadded: Bool) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.capacity(bytes)) { output in
            let count = encode(bytes, into: output, isPadded: isPadded)
            text.append(contentsOf: UnsafeBufferPointer(rebasing: output[..<count]))
        }
    }

    private static func capacity(_ bytes: [UInt8]) -> Int {
        (bytes.count + 2) / 3 * 4
    }

    private func encode(_ bytes: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>, isPadded: Bool) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            digits.withUnsafeBufferPointer { digits in
                Self.encode(bytes, with: digits, into: output, isPadded: isPadded)
            }
        }
    }
}
