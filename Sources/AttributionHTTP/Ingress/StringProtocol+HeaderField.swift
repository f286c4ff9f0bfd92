extension StringProtocol {
    /// Whether this is a field name or token, letter case aside.
    ///
    /// - Parameter token: The token in lower case ASCII.
    /// - Returns: `true` when they are equal.
    func isField(_ token: StaticString) -> Bool {
        token.withUTF8Buffer { isField($0) }
    }

    /// Whether this is a field name or token, letter case aside.
    ///
    /// - Parameter token: The token in lower case ASCII.
    /// - Returns: `true` when they are equal.
    func isField(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { isField($0) }
    }

    /// Whether the whole value names the media type JSON is posted as, with any parameters.
    ///
    /// `application/json; charset=utf-8` is; `application/problem+json` and `text/json` are not.
    var isJSONMediaType: Bool {
        Substring(prefix { $0 != ";" }).trimmingOptionalWhitespace.isField("application/json")
    }

    /// Calls `body` with each member of a comma-separated list, without white space around it.
    ///
    /// - Parameter body: Takes one member.
    func forEachListMember(_ body: (Substring) -> Void) {
        for member in split(separator: ",") { body(Substring(member).trimmingOptionalWhitespace) }
    }

    private func isField(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == token.count else { return false }
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            for index in 0..<token.count where Self.lowercased(bytes[index]) != token[index] { return false }
            return true
        }
        return isEqual ?? zip(utf8, token).allSatisfy { Self.lowercased($0) == $1 }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension Substring {
    /// Without the spaces and tabs at its ends.
    var trimmingOptionalWhitespace: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }
}
