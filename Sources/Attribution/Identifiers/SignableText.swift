/// A text that stands in a signed text exactly as it was received; the parameter tells one kind from another.
package struct SignableText<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The text as received.
    package let text: String

    /// Accepts a text of 1 to 255 bytes without U+2063 and control characters; nil for any other.
    package init?(_ text: String) {
        guard SignedTextSeparator.admits(text) else {
            return nil
        }
        self.text = text
    }

    /// The text as received.
    package var description: String {
        text
    }

    /// Texts are the same when their bytes are, for bytes are signed; `String` would compare by canonical equivalence.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Hashes the bytes of the text.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
