package import Attribution
package import StrictJSON

extension RenderedReport {
    /// Writes the report as one object per line.
    func writeNDJSON(to output: (String) -> Void) {
        func write(_ type: String, _ members: [(String, JSONText)]) {
            output(JSONText.object([("type", .string(type))] + members).line + "\n")
        }
        write("report", scope)
        for section in sectionsWithObjects {
            // In every row, so that test traffic is not mistaken for real installs by a reader of rows only.
            var common: [(String, JSONText)] = [("provenance", .string(selection.traffic.rawValue))]
            if standardName != nil {
                common.append(("section", .string(section.name)))
                write("section", section.header(isExplained: isExplained))
            }
            for row in section.rows {
                write("row", common + section.members(row))
            }
            if let totals = section.totals {
                write(
                    "totals",
                    common + (standardName == nil ? [section.omission] : [])
                        + section.members(ofTotals: totals, haveKeys: standardName != nil))
            }
        }
        if let (type, members) = lastObject {
            write(type, members)
        }
    }
}

extension ReportSection {
    /// The members with the rows and their totals.
    func table(totalsHaveKeys: Bool) -> [(String, JSONText)] {
        [
            ("rows", .array(rows.map { .object(members($0)) })), omission,
            ("totals", totals.map { .object(members(ofTotals: $0, haveKeys: totalsHaveKeys)) } ?? .null),
        ]
    }

    fileprivate var omission: (String, JSONText) {
        ("rows-left-out", .integer(Int64(omittedRows)))
    }

    /// The members that describe the section.
    func header(isExplained: Bool) -> [(String, JSONText)] {
        [
            ("section", .string(name)),
            ("title", .string(title)),
            ("meaning", .string(meaning)),
            ("columns", .array(columns.map { .object($0.members(isExplained: isExplained)) })),
            ("notes", .array(notes.map(JSONText.string))),
        ]
    }

    fileprivate func members(ofTotals totals: ReportSectionRow, haveKeys: Bool) -> [(String, JSONText)] {
        Array(members(totals).dropFirst(haveKeys ? 0 : columns.prefix { $0.kind == .key }.count))
    }

    /// The cells of a row by column, and those of the previous period in an object of their own.
    fileprivate func members(_ row: ReportSectionRow) -> [(String, JSONText)] {
        let cells = zip(columns, row.cells).map { ($0.name, $1.json) }
        guard isCompared else {
            return cells
        }
        let previous = row.previous.map { previous in
            JSONText.object(zip(columns, previous).filter(\.0.isCompared).map { ($0.name, $1.json) })
        }
        return cells + [("previous", previous ?? .null)]
    }
}

extension ReportColumn {
    fileprivate func members(isExplained: Bool) -> [(String, JSONText)] {
        [
            ("name", .string(name)),
            ("kind", .string(kind.rawValue)),
            ("basis", .string(basis.name)),
            ("denominator", denominator.map(JSONText.string) ?? .null),
        ] + (isExplained ? [("definition", .string(definition))] : [])
    }
}

extension DeliveryCounts {
    /// The members of the JSON object; `received` is the sum of those between it and `not-kept`.
    var members: [(String, JSONText)] {
        [
            ("received", .integer(received)),
            ("recorded", .integer(count(.recorded, .apple))),
            ("duplicate", .integer(count(.duplicate, .apple))),
            ("conflict", .integer(count(.conflict, .apple))),
            (
                "quarantined",
                .object(
                    [("total", .integer(quarantined))]
                        + PostbackRejection.Code.kept.map { ($0.rawValue, .integer(quarantined($0))) })
            ),
            ("foreign", verifiedCounts(.foreign)),
            ("development", verifiedCounts(.development)),
            ("test", verifiedCounts(.test)),
            ("not-kept", .integer(notKept)),
            ("developer-copies", .integer(received(by: .developer))),
            ("also-from-another-recipient", .integer(otherRecipients)),
            (
                "repeats",
                .object(RepeatDelay.allCases.map { ($0.name, .integer(repeats[$0, default: 0])) })
            ),
        ]
    }

    private func verifiedCounts(_ traffic: Traffic) -> JSONText {
        .object(
            Recording.Status.verified.map { ($0.rawValue, .integer(count($0, traffic))) })
    }

    package var json: JSONText {
        .object(members)
    }

    /// The counts as a few lines of text, not wrapped.
    func lines(areUntilNow: Bool) -> [String] {
        let reasons = PostbackRejection.Code.kept
            .map { "\($0.rawValue) \(quarantined($0))" }
            .joined(separator: ", ")
        var lines = [
            "Deliveries\(areUntilNow ? " until now" : ""): received \(received), recorded \(count(.recorded, .apple)), "
                + "duplicate \(count(.duplicate, .apple)), conflict \(count(.conflict, .apple)), "
                + "quarantined \(quarantined) (\(reasons))"
        ]
        // Test traffic is always listed, to show that the numbers above do not include it.
        for (traffic, name) in [(Traffic.foreign, "Foreign"), (.development, "Development"), (.test, "Test")] {
            let counts = Recording.Status.verified.map { ($0.rawValue, count($0, traffic)) }
            if traffic == .test || counts.contains(where: { $0.1 > 0 }) {
                lines.append("\(name) deliveries: " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
            }
        }
        if notKept > 0 {
            lines.append(
                "Of these \(notKept) were counted without keeping their bytes: a limit of the quarantine was reached.")
        }
        if received(by: .developer) > 0 {
            lines.append("Of these \(received(by: .developer)) were developers' copies.")
        }
        if repeats.contains(where: { $0.value > 0 }) {
            let delays = RepeatDelay.allCases.map { "\($0.name) \(repeats[$0, default: 0])" }
            lines.append("Repeats after the first copy: " + delays.joined(separator: ", "))
        }
        return lines
    }
}

extension PostbackRejection.Code {
    /// The reasons of quarantine; bodies that are not JSON are refused instead.
    static let kept = allCases.filter { $0 != .notJSON }
}

extension Recording.Status {
    /// The results of deliveries whose signature verifies.
    fileprivate static let verified = allCases.filter { $0 != .quarantined }
}
