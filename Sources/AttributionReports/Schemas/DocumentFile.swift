package import Attribution
import Foundation
import Platform
import StrictJSON

/// Files with JSON documents that people write.
enum DocumentFile {
    /// The longest file that is read; a map of ten thousand campaigns takes about two megabytes.
    static let limit = 4 << 20

    /// Reads a file.
    static func bytes(_ path: String) throws(DocumentProblem) -> [UInt8] {
        do throws(CheckedFile.Problem) {
            return try CheckedFile(path).bytes(limit: limit)
        } catch {
            let reason =
                switch error {
                case .unreadable(let reason): reason
                case .openToOthers(let mode), .changeableByOthers(let mode): "mode \(mode)"
                case .ownedByAnother(let user): "owner \(user)"
                }
            throw DocumentProblem(
                "the file", found: reason, expected: "a file that can be read", cure: "check its path and its mode")
        }
    }

    /// Reads a file that need not exist; empty if it does not.
    static func bytes(orEmpty path: String) throws(InvalidDocuments) -> [UInt8] {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            return []
        }
        do throws(DocumentProblem) {
            return try bytes(path)
        } catch {
            var invalid = InvalidDocuments()
            invalid.note([error], in: path)
            throw invalid
        }
    }
}

/// What several files say together; one that is wrong makes all of them wrong.
package protocol DocumentSet: Sendable {
    init(documents: [(name: String, bytes: [UInt8])], besides known: InvalidDocuments) throws(InvalidDocuments)
}

extension DocumentSet {
    package init(files: [String]) throws(InvalidDocuments) {
        var invalid = InvalidDocuments()
        var documents: [(name: String, bytes: [UInt8])] = []
        for file in files {
            do throws(DocumentProblem) {
                documents.append((file, try DocumentFile.bytes(file)))
            } catch {
                invalid.note([error], in: file)
            }
        }
        try self.init(documents: documents, besides: invalid)
    }
}

extension DocumentFields {
    fileprivate func day(_ name: String) throws(DocumentProblem) -> CalendarDay {
        let text = try text(name)
        do throws(FieldProblem) {
            return try CalendarDay.reading(text, field: name)
        } catch {
            throw problem(
                name, found: "\"\(error.found)\"", expected: error.expected, cure: "write a day such as \"2026-11-09\"")
        }
    }

    /// A currency, or nil if there is none.
    func currency(_ name: String) throws(DocumentProblem) -> CurrencyCode? {
        guard let text = try optionalText(name) else {
            return nil
        }
        guard let currency = CurrencyCode(text) else {
            throw problem(
                name, found: "\"\(text.shortened(to: 60))\"", expected: "a currency code of ISO 4217",
                cure: CurrencyCode.known.contains(text.uppercased())
                    ? "write \"\(text.uppercased())\"" : "write a code such as \"EUR\" or \"USD\"")
        }
        return currency
    }

    /// An amount or the bounds of one; nil if there is none.
    func revenue(_ name: String) throws(DocumentProblem) -> ClosedRange<Money>? {
        guard has(name) else {
            return nil
        }
        if let fixed = amount(name) {
            return fixed...fixed
        }
        guard isObject(name) else {
            throw problem(name, found: summary(name), expected: Self.amountRule, cure: Self.amountCure)
        }
        let bounds = try child(name)
        if let unknown = bounds.unknown(besides: ["low", "high"]).first {
            throw unknown
        }
        let low = try bounds.money("low")
        let high = try bounds.money("high")
        guard low <= high else {
            throw bounds.problem(
                "high", found: high.description, expected: "at least low, which is \(low)", cure: "exchange the two")
        }
        return low...high
    }

    /// An exact amount; nil for anything else.
    private func amount(_ name: String) -> Money? {
        decimalText(name).flatMap { Money($0) }
    }

    private func money(_ name: String) throws(DocumentProblem) -> Money {
        guard let amount = amount(name) else {
            throw problem(name, found: summary(name), expected: Self.amountRule, cure: Self.amountCure)
        }
        return amount
    }

    private static let amountRule =
        "an amount that is not negative, with at most \(Money.places) decimal places and 12 digits before them"
    private static let amountCure = "write an amount such as 4.99, or {\"low\": 0.99, \"high\": 4.99}"
}

extension DocumentProblems {
    /// Reads the members of a file of version 1; nil for one that is no document.
    mutating func document(_ file: [UInt8], _ name: String, members: [String]) -> DocumentFields? {
        let fields = attempt(
            try DocumentFields(
                reading: file, limit: DocumentFile.limit, name: name, cure: "compare it with the example in Schemas.md")
        )
        if let fields {
            note(fields.unknown(besides: ["version"] + members))
            _ = attempt(try fields.integer("version", in: 1...1))
        }
        return fields
    }

    /// Reads `from` and `to`, of which only the first must be there.
    mutating func days(_ fields: DocumentFields) -> (from: CalendarDay, through: CalendarDay?)? {
        let from = attempt(try fields.day("from"))
        let through = fields.has("to") ? attempt(try fields.day("to")) : nil
        if let from, let through, through < from {
            note(
                fields.problem(
                    "to", found: through.description, expected: "a day from \(from) on",
                    cure: "write the last day, or leave it out"))
        }
        return from.map { ($0, through) }
    }
}
