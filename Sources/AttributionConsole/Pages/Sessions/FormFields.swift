import AttributionReports
import StrictJSON

/// The fields of a form, from a query or a body of type `application/x-www-form-urlencoded`.
///
/// - SeeAlso: [URL Standard, parsing](https://url.spec.whatwg.org/#urlencoded-parsing)
package struct FormFields: Sendable {
    /// The fields in order, without empty ones: a form sends every field, filled in or not.
    package private(set) var fields: [(name: String, value: String)]

    /// Reads fields; bytes that are not UTF-8 become U+FFFD.
    package init(_ text: some StringProtocol) {
        fields = Substring(text).utf8.decodedPairs { Self.decoded($0) }.filter { !$0.value.isEmpty }
    }

    /// The first value of a field.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The values of a field that may occur several times.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Removes a field.
    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name == name }
    }

    /// Refuses what would be silently ignored.
    ///
    /// - Parameters:
    ///   - known: The names of the page.
    ///   - repeatable: Those that may occur several times.
    /// - Throws: ``StrictJSON/FieldProblem`` for another name, or a second value.
    func check(known: [String], repeatable: [String] = []) throws(FieldProblem) {
        for (index, field) in fields.enumerated() {
            guard known.contains(field.name) else {
                throw FieldProblem(
                    field: field.name.shortened(to: 40), found: "an unknown parameter",
                    expected: known.joined(separator: ", ") + known.suggestion(for: field.name))
            }
            guard repeatable.contains(field.name) || !fields[..<index].contains(where: { $0.name == field.name }) else {
                throw FieldProblem(field: field.name, found: "more than one value", expected: "one")
            }
        }
    }

    /// The text of a name or a value, in which a plus sign stands for a space.
    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }.percentDecoded()
    }
}
