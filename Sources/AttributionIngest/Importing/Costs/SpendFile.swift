package import Attribution
package import AttributionStore
import StrictJSON

/// A file of spend, of which a store takes all or nothing.
package struct SpendFile: Sendable {
    /// A row that cannot be taken.
    package struct Problem: Hashable, Sendable {
        /// The line or the number of the record, from 1.
        package let number: Int
        /// What was found and what was expected.
        package let reason: String
    }

    /// What became of a file.
    package enum Outcome: Sendable {
        /// All of it is in the store.
        case recorded(SpendRecording)
        /// None of it is, because the store has other amounts.
        case contradicted([Problem])
    }

    /// Its path.
    package let name: String
    /// What one of its records is called in messages.
    package let recordName: String
    /// The rows that cannot be read; with any, it must not be recorded.
    package private(set) var problems: [Problem] = []
    private var spend: [Spend] = []
    private var numbers: [Int] = []

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The file, from its beginning.
    ///   - latest: The last day that is plausible.
    /// - Throws: ``ImportFailure`` when it cannot be read.
    package init(_ file: ImportFile, latest: CalendarDay) throws(ImportFailure) {
        guard file.input != .log else {
            throw ImportFailure("\(file.name) is an access log", hint: "expected CSV or NDJSON with spend")
        }
        let file = try file.afterHeader()
        name = file.name
        recordName = file.recordName
        var firsts: [Spend.Key: Int] = [:]
        while let records = try file.next() {
            for record in records {
                do throws(FieldProblem) {
                    let row = try Spend(reading: try Self.fields(record, file.header), latest: latest)
                    if let first = firsts.updateValue(record.number, forKey: row.key) {
                        throw Self.repeated(row, "\(recordName) \(first)")
                    }
                    spend.append(row)
                    numbers.append(record.number)
                } catch {
                    problems.append(Problem(number: record.number, reason: error.description))
                }
            }
        }
    }

    /// Records it, if it has no problems.
    ///
    /// - Parameters:
    ///   - ledger: The store.
    ///   - ads: Which ads it is about.
    ///   - replaces: Whether amounts in the store are replaced.
    /// - Returns: What became of it.
    /// - Throws: ``AttributionStore/StoreError``; then nothing was recorded.
    package func record(in ledger: any AdCostWriting, of ads: AdTraffic, replaces: Bool) throws -> Outcome {
        let recording = try ledger.recordSpend(spend, of: ads, replaces: replaces)
        guard !recording.conflicts.isEmpty else {
            return .recorded(recording)
        }
        return .contradicted(
            recording.conflicts.map { conflict in
                let row = spend[conflict.index]
                return Problem(
                    number: numbers[conflict.index],
                    reason: FieldProblem(
                        field: "amount", found: "\(row.amount) \(row.key.currency)",
                        expected: "\(conflict.amount), as the store has it for \(row.key.day) and this campaign"
                    ).description)
            })
    }

    private static func repeated(_ row: Spend, _ first: String) -> FieldProblem {
        FieldProblem(
            field: "date",
            found: "\(row.key.day) once more for the campaign and the currency of \(first)",
            expected: "one row for each day, campaign and currency, with the whole amount")
    }

    /// The texts of a row by the names of their fields.
    private static func fields(_ record: RawRecord, _ header: CSVHeader?) throws(FieldProblem) -> [String: String] {
        if let problem = record.problem {
            throw FieldProblem(field: "row", found: problem.description, expected: "a whole row")
        }
        guard !record.isCut else {
            throw FieldProblem(
                field: "row", found: "more than \(RawRecord.longest) bytes, or a quote that does not end",
                expected: "a shorter row")
        }
        guard let header else {
            return try members(record.bytes)
        }
        // Half an amount is an amount, too; what is cut off of JSON is no object.
        guard !record.isUnfinished else {
            throw FieldProblem(
                field: "row", found: "the last line without its end, which may be cut off",
                expected: "a whole row and a newline (add one if it is whole)")
        }
        let cells = CSVRow(record.bytes, separator: header.separator).cells
        guard cells.count == header.names.count else {
            throw FieldProblem(
                field: "row", found: "\(cells.count) cells", expected: "the header's \(header.names.count)")
        }
        return try unique(zip(header.names, cells))
    }

    private static func members(_ bytes: [UInt8]) throws(FieldProblem) -> [String: String] {
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: bytes, limit: RawRecord.longest)
        } catch {
            throw FieldProblem(field: "row", found: error.found, expected: error.expected)
        }
        var members: [(String, String)] = []
        for field in object.fields {
            let name = ImportOptions.normalized(field.name)
            guard let text = field.value.plainText ?? (field.value == .null ? "" : nil) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: field.value.summary, expected: "a string or a number")
            }
            members.append((name, text))
        }
        return try unique(members)
    }

    private static func unique(_ pairs: some Sequence<(String, String)>) throws(FieldProblem) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, text) in pairs {
            guard fields.updateValue(text, forKey: name) == nil else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: "the field twice", expected: "each field once")
            }
        }
        return fields
    }
}

extension SpendRecording {
    /// The numbers, for a person.
    package var text: String {
        var parts = ["amounts recorded \(new)"]
        if replaced > 0 { parts.append("replaced \(replaced)") }
        if known > 0 { parts.append("known before \(known)") }
        return parts.joined(separator: ", ")
    }
}
