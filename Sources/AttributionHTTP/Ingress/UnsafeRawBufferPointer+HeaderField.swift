/// Reading names and values of fields where they lie in the received bytes.
extension UnsafeRawBufferPointer {
    /// Whether this is a field name or token, letter case aside.
    ///
    /// - Parameter token: The token in lower case ASCII.
    /// - Returns: `true` when they are equal.
    @inline(__always)
    func isField(_ token: StaticString) -> Bool {
        guard count == token.utf8CodeUnitCount else { return false }
        for index in 0..<count where Self.lowercased(self[index]) != token.utf8Start[index] { return false }
        return true
    }

    /// Whether these are exactly the bytes of a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: `true` when they are equal.
    @inline(__always)
    func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether this is a field name, letter case aside.
    ///
    /// Not an overload of ``isField(_:)``, which a literal would choose before the one for literals.
    ///
    /// - Parameter name: The name in lower case ASCII.
    /// - Returns: `true` when they are equal.
    func isField(named name: String) -> Bool {
        count == name.utf8.count && zip(self, name.utf8).allSatisfy { Self.lowercased($0) == $1 }
    }

    /// Whether the whole value names the media type JSON is posted as, with any parameters.
    ///
    /// `application/json; charset=utf-8` is; `application/problem+json` and `text/json` are not.
    var isJSONMediaType: Bool {
        let end = firstIndex(of: UInt8(ascii: ";")) ?? count
        return self[bytes: 0..<end].trimmed.isField("application/json")
    }

    /// Calls `body` with each member of a comma-separated list, without white space around it.
    ///
    /// - Parameter body: Takes one member.
    func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start <= count {
            let end = self[start...].firstIndex(of: UInt8(ascii: ",")) ?? count
            body(self[bytes: start..<end].trimmed)
            start = end + 1
        }
    }

    /// Without the spaces and tabs at its ends.
    var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, IngressByte.isBlank(self[start]) { start += 1 }
        while start < end, IngressByte.isBlank(self[end - 1]) { end -= 1 }
        return self[bytes: start..<end]
    }

    /// The bytes of a range, counted from 0 again.
    @inline(__always)
    subscript(bytes range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// The bytes as text for a message or a name, what is not UTF-8 replaced.
    var text: String {
        String(decoding: self, as: UTF8.self)
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
