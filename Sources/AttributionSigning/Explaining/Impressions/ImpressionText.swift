import Attribution
import StrictJSON

/// The values of an impression in the order in which they are signed, right or wrong.
struct ImpressionText {
    /// One value with its field.
    struct Part: Equatable {
        let field: ImpressionField
        var text: String
    }

    var parts: [Part]

    /// The bytes to sign, with the separator that Apple requires or another one.
    func bytes(separator: [UInt8] = SignedTextSeparator.utf8) -> [UInt8] {
        Array(parts.map { Array($0.text.utf8) }.joined(separator: separator))
    }

    /// The text with visible separators.
    var description: String {
        parts.map { $0.text.shortened(to: 300) }.joined(separator: "|")
    }

    /// The same with another value in a field.
    func replacing(_ field: ImpressionField, _ change: (String) -> String) -> ImpressionText {
        ImpressionText(parts: parts.map { $0.field == field ? Part(field: field, text: change($0.text)) : $0 })
    }

    /// The same without a field.
    func without(_ field: ImpressionField) -> ImpressionText {
        ImpressionText(parts: parts.filter { $0.field != field })
    }
}
