import Attribution
import AttributionSigning
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

    /// The value of a field, if it is signed.
    subscript(field: ImpressionField) -> String? {
        parts.first { $0.field == field }?.text
    }

    /// The same with another value in a field.
    func replacing(_ field: ImpressionField, _ text: String) -> ImpressionText {
        ImpressionText(parts: parts.map { $0.field == field ? Part(field: field, text: text) : $0 })
    }

    /// The same without a field.
    func without(_ field: ImpressionField) -> ImpressionText {
        ImpressionText(parts: parts.filter { $0.field != field })
    }
}

/// The first difference between the text that Apple puts together and the one that a signer built.
struct TextComparison {
    private let expected: ImpressionText
    private let found: [String]

    init(_ expected: ImpressionText, _ found: [UInt8]) {
        self.expected = expected
        self.found = String(decoding: found, as: UTF8.self).unicodeScalars
            .split(separator: SignedTextSeparator.scalar, omittingEmptySubsequences: false).map { String($0) }
    }

    /// What the text given has been through, the field at fault, and a sentence.
    var difference: (ExplanationCause, ImpressionField?, String) {
        let values = expected.parts.map(\.text)
        if found.count == values.count - 1 {
            for (index, part) in expected.parts.enumerated() {
                var shorter = values
                shorter.remove(at: index)
                if shorter == found {
                    return (.fieldRemoved, part.field, "\(part.field.rawValue) \(part.text) is left out")
                }
            }
        }
        if found.count == values.count {
            let different = values.indices.filter { values[$0] != found[$0] }
            if let index = different.first, different.count == 1 {
                let (field, value) = (expected.parts[index].field, found[index].shortened(to: 60))
                let cause: ExplanationCause =
                    found[index].lowercased() == values[index].lowercased() ? .letterCase : .valueChanged
                return (cause, field, "\(field.rawValue) is \(value) instead of \(values[index].shortened(to: 60))")
            }
            if let index = different.first, found.sorted() == values.sorted() {
                let field = expected.parts[index].field
                return (.movedField, field, "the values are in another order, from \(field.rawValue) on")
            }
        }
        return (.valueChanged, nil, "it has \(found.count) values joined by U+2063, Apple's has \(values.count)")
    }
}
