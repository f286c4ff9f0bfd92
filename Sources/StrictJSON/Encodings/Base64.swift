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
