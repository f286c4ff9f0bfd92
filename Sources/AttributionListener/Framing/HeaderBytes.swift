#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Reading field names and values in place.
extension UnsafeRawBufferPointer {
    /// Whether this is a field name or token, ignoring case.
    @inline(__always)
    func isField(_ token: StaticString) -> Bool {
        guard count == token.utf8CodeUnitCount else { return false }
        for index in 0..<count where Self.lowercased(self[index]) != token.utf8Start[index] { return false }
        return true
    }

    /// Whether these are exactly the bytes of a text.
    @inline(__always)
    func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether this is a field name, ignoring case.
    ///
    /// Not an overload of ``isField(_:)``: a string literal would choose this one.
    func isField(named name: String) -> Bool {
        count == name.utf8.count && zip(self, name.utf8).allSatisfy { Self.lowercased($0) == $1 }
    }

    /// Whether the value is a media type, with any parameters.
    ///
    /// `application/json; charset=utf-8` is JSON; `application/problem+json` and `text/json` are not.
    func isMediaType(_ mediaType: IngressMediaType) -> Bool {
        let end = firstIndex(of: UInt8(ascii: ";")) ?? count
        return self[bytes: 0..<end].trimmed.isField(named: mediaType.rawValue)
    }

    /// Calls `body` with each nonempty member of a comma-separated list, without white space around it.
    @inline(__always)
    func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for index in 0..<count where self[index] == UInt8(ascii: ",") {
            if index > start { body(self[bytes: start..<index].trimmed) }
            start = index + 1
        }
        if count > start { body(self[bytes: start..<count].trimmed) }
    }

    /// The first index of a byte.
    @inline(__always)
    func index(of byte: UInt8, from start: Int) -> Int? {
        guard let baseAddress, start < count,
            let found = memchr(baseAddress + start, CInt(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// Whether every byte may occur in a field's value; branch-free, because values may be long.
    var isFieldText: Bool {
        var faults: UInt8 = 0
        for byte in self {
            let isControl: UInt8 = byte < 0x20 ? 1 : 0
            let isTab: UInt8 = byte == IngressByte.tab ? 1 : 0
            let isDelete: UInt8 = byte == 0x7f ? 1 : 0
            faults |= (isControl ^ isTab) | isDelete
        }
        return faults == 0
    }

    /// Whether every byte may occur in a target: visible ASCII except `#`, because fragments are never sent.
    var isTargetText: Bool {
        var faults: UInt8 = 0
        for byte in self {
            let isOutside: UInt8 = byte &- 0x21 > 0x5d ? 1 : 0
            let isFragment: UInt8 = byte == UInt8(ascii: "#") ? 1 : 0
            faults |= isOutside | isFragment
        }
        return faults == 0
    }

    /// The bytes without leading and trailing spaces and tabs.
    var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, IngressByte.isBlank(self[start]) { start += 1 }
        while start < end, IngressByte.isBlank(self[end - 1]) { end -= 1 }
        return self[bytes: start..<end]
    }

    /// The bytes of a range, rebased to index 0.
    @inline(__always)
    subscript(bytes range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// As much of the text as a refusal quotes, and a little more, so that it can tell that something was cut off.
    var beginning: String {
        self[bytes: 0..<Swift.min(count, IngressRefusal.quotedBytes + 4)].text
    }

    /// The bytes as text for a message or a name, with invalid UTF-8 replaced.
    var text: String {
        String(decoding: self, as: UTF8.self)
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}

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
