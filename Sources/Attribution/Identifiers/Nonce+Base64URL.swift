/// The spelling of a nonce in web ads: base64url (RFC 4648, section 5) of the UUID's 16 bytes.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
extension Nonce {
    /// The UUID's 16 bytes as base64url without padding, 22 characters.
    public var base64URL: String {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let standard = Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: Self.translate(standard, from: "+/", to: "-_"), as: UTF8.self)
    }

    /// Reads base64url with its padding or without; nil for any other text, and for bytes that are no version 4 UUID.
    ///
    /// Only the canonical spelling is accepted, whose unused last bits are zero: otherwise sixteen texts would name one
    /// nonce.
    public init?(base64URL: String) {
        let utf8 = base64URL.utf8
        let isPadded = utf8.count == 24 && base64URL.hasSuffix("==")
        guard utf8.count == 22 || isPadded, !utf8.contains(where: { Array("+/".utf8).contains($0) }) else {
            return nil
        }
        let standard = Self.translate(utf8.prefix(22), from: "-_", to: "+/") + Array("==".utf8)
        guard let bytes = Base64.decode(String(decoding: standard, as: UTF8.self)), bytes.count == 16 else {
            return nil
        }
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) {
                text += "-"
            }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        self.init(text)
    }

    private static func translate(
        _ bytes: some Sequence<UInt8>,
        from old: StaticString,
        to new: StaticString
    ) -> [UInt8] {
        bytes.map { byte in
            let place = (0..<old.utf8CodeUnitCount).first { old.utf8Start[$0] == byte }
            return place.map { new.utf8Start[$0] } ?? byte
        }
    }
}
