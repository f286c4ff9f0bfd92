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
