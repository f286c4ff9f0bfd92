package import Attribution
package import AttributionStore
import StrictJSON

/// A file of spend, of which a store takes all or nothing.
package struct SpendFile: Sendable {
    package let name: String
    /// What one of its records is called in messages.
    package let recordName: String
    /// The rows that cannot be read; with any, it must not be recorded.
    package private(set) var problems: [ImportProblem] = []
    /// The rows that can be read, in their order.
    package private(set) var spend: [Spend] = []
    /// The numbers of these records.
    package private(set) var numbers: [Int] = []

    /// Reads a file.
    ///
    /// - Throws: ``Refusal`` when it cannot be read.
    package init(_ file: ImportFile, latest: CalendarDay) throws(Refusal) {
        guard file.input != .log else {
            throw Refusal(.malformedFile, "\(file.name) is an access log", hint: "expected CSV or NDJSON with spend")
        }
        try file.readHeader()
        name = file.name
        recordName = file.recordName
        var firsts: [Spend.Key: Int] = [:]
        while let records = try file.next() {
            for record in records {
                read(record, file.header, latest, &firsts)
            }
        }
    }

    /// Reads NDJSON that was sent.
    package init(lines: [UInt8], latest: CalendarDay) {
        name = "the body"
        recordName = ImportInput.ndjson.recordName
        var firsts: [Spend.Key: Int] = [:]
        var splitter = LineSplitter(hasQuotes: false)
        splitter.append(lines)
        splitter.finish()
        while let record = splitter.next() {
            read(record, nil, latest, &firsts)
        }
    }

    private mutating func read(
        _ record: RawRecord, _ header: CSVHeader?, _ latest: CalendarDay, _ firsts: inout [Spend.Key: Int]
    ) {
        do {
            let row = try Spend(reading: try Self.fields(record, header), latest: latest)
            if let first = firsts.updateValue(record.number, forKey: row.key) {
                throw Self.repeated(row, "\(recordName) \(first)")
            }
            spend.append(row)
            numbers.append(record.number)
        } catch {
            problems.append(ImportProblem(number: record.number, reason: "\(error)"))
        }
    }

    /// What is wrong with the rows for which a store has other amounts.
    package func problems(of conflicts: [SpendRecording.Conflict]) -> [ImportProblem] {
        conflicts.filter { spend.indices.contains($0.index) }.map { conflict in
            let row = spend[conflict.index]
            return ImportProblem(
                number: numbers[conflict.index],
                reason: FieldProblem(
                    field: "amount", found: "\(row.amount) \(row.key.currency)",
                    expected: "\(conflict.amount), as the store has it for \(row.key.day) and this campaign"
                ).description)
        }
    }

    private static func repeated(_ row: Spend, _ first: String) -> FieldProblem {
        FieldProblem(
            field: "date",
            found: "\(row.key.day) once more for the campaign and the currency of \(first)",
            expected: "one row for each day, campaign and currency, with the whole amount")
    }

    /// The texts of a row by the names of their fields.
    private static func fields(_ record: RawRecord, _ header: CSVHeader?) throws -> [String: String] {
        let row: RecordFields
        do throws(ImportRecord.Problem) {
            row = try RecordFields(try record.wholeBytes, header)
        } catch {
            throw ImportRecord.Problem.malformed("row: \(error)")
        }
        // Half an amount is an amount, too; what is cut off of JSON is no object.
        guard header == nil || !record.isUnfinished else {
            throw FieldProblem(
                field: "row", found: "the last line without its end, which may be cut off",
                expected: "a whole row and a newline (add one if it is whole)")
        }
        var fields: [String: String] = [:]
        for (name, value) in row.all {
            guard let text = value.plainText ?? (value == .null ? "" : nil) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: value.summary, expected: "a string or a number")
            }
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
