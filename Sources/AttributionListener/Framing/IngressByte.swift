/// The classes of bytes HTTP distinguishes.
///
/// - SeeAlso: [RFC 9110, section 5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2)
enum IngressByte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")

    /// Whether a byte may occur in a token, such as a field's name.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? tokenLow >> UInt64(byte) : tokenHigh >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether a byte may occur in a field's value: tab, space, visible ASCII and non-ASCII bytes.
    @inline(__always)
    static func isFieldText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == tab
    }

    /// Whether a byte is the optional white space around a field's value.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    /// One bit for each of the bytes 0…63: `!#$%&'*+-.` and digits.
    private static let tokenLow: UInt64 = 0x03ff_6cfa_0000_0000
    /// One bit for each of the bytes 64…127: letters and ``^_`|~``.
    private static let tokenHigh: UInt64 = 0x57ff_ffff_c7ff_fffe
}
