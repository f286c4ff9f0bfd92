import StrictJSON

/// The encoding of a nonce in web ads: base64url (RFC 4648, section 5) of the UUID's 16 bytes.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
extension Nonce {
    /// The UUID's 16 bytes as base64url without padding, 22 characters.
    package var base64URL: String {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
        return Base64URL.encode(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// Reads base64url with or without padding; nil for any other text, and for bytes that are not a version 4 UUID.
    ///
    /// The unused trailing bits must be zero: otherwise sixteen texts would name the same nonce.
    package init?(base64URL: String) {
        let isPadded = base64URL.utf8.count == 24 && base64URL.hasSuffix("==")
        guard let bytes = Base64URL.decode(base64URL.utf8.dropLast(isPadded ? 2 : 0)), bytes.count == 16 else {
            return nil
        }
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) {
                text += "-"
            }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        self.init(text)
    }
}
