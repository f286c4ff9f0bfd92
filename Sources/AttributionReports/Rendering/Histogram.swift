import Attribution

/// A bar chart of the conversion values of installs or re-engagements.
struct Histogram {
    let subject: String
    /// The conversions that occur, and their counts.
    let entries: [(name: String, count: Int64)]

    private static let longestBar = 30.0

    /// The histograms that are not empty.
    static func all(_ totals: Counts) -> [Histogram] {
        [
            Histogram("installs", totals, Counts.Counter.conversion),
            Histogram("re-engagements", totals, Counts.Counter.reengagementConversion),
        ].filter { !$0.entries.isEmpty }
    }

    private init(_ subject: String, _ totals: Counts, _ counter: (Conversion) -> Counts.Counter) {
        self.subject = subject
        entries = Conversion.allCases.map { ($0.description, totals[counter($0)]) }.filter { $0.1 > 0 }
    }

    /// A heading and a line for each value.
    func lines(_ style: TextStyle) -> [String] {
        let most = entries.map(\.count).max() ?? 1
        let width = String(most).count
        return ["Conversion values of \(subject)\n"]
            + entries.map { name, count in
                let length = Int((Double(count) / Double(most) * Self.longestBar).rounded(.up))
                let label = String(repeating: " ", count: max(0, 7 - name.count)) + name
                let number = String(repeating: " ", count: width - String(count).count) + String(count)
                return style.shortened(
                    "  \(label)  \(number)  \(String(repeating: style.bar, count: length))", to: style.width) + "\n"
            }
    }
}
