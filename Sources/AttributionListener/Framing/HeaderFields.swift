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
        // Otherwise it would grow twice for the two fields of a bid.
        if lines.isEmpty { lines.reserveCapacity(4) }
        lines.append(Line(name: name, value: value))
    }

    /// The value of each line of a field, in order.
    package func values(_ name: String) -> [String] {
        var values: [String] = []
        for line in lines where line.name == name { values.append(line.value) }
        return values
    }

    /// The value of the first line of a field; nil when there is none.
    package subscript(name: String) -> String? {
        lines.first { $0.name == name }?.value
    }
}
