/// The header fields that a request is handed over with.
package struct HeaderFields: Sendable, Equatable {
    private struct Line: Equatable {
        let name: String
        let value: String
    }

    private var lines: [Line] = []

    /// Makes the fields of a request that has none of them.
    package init() {}

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - name: The field's name in lower case.
    ///   - value: Its value, without white space around it.
    package mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name: name, value: value))
    }

    /// The value of each line of a field, in order.
    package func values(_ name: String) -> [String] {
        lines.filter { $0.name == name }.map(\.value)
    }

    /// The value of the first line of a field; nil when there is none.
    package subscript(name: String) -> String? {
        lines.first { $0.name == name }?.value
    }
}
