/// A value that is signed exactly as received; `Kind` makes each use a distinct type.
package struct SignableText<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The text as received.
    package let text: String

    /// What is accepted, for messages.
    package static var rule: String { SignedTextSeparator.rule }

    /// Accepts a text of 1 to 255 bytes without U+2063 or control characters; nil for any other.
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

    /// Compares bytes, because bytes are signed; `String` compares by canonical equivalence.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Hashes the bytes of the text.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
