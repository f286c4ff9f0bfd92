import Attribution
package import AttributionSigning
package import AttributionStore
import Foundation
import StrictJSON

/// Brings postbacks of the past into a store: read, verified and recorded by the rules of those received now, with the
/// times at which they were received.
///
/// How far a file was read is written with its postbacks, in one transaction: an import that was killed goes on where it
/// was, and one that is repeated changes nothing.
package struct Importer {
    private let ledger: any LedgerImporting
    private let verifier: PostbackVerifier
    private let options: ImportOptions
    /// Whether files are read from their beginning whatever was read of them before.
    private let startsOver: Bool

    /// Deliveries of one transaction: a larger one saves little, and loses more when it is stopped.
    private static let transaction = 4_096

    package init(
        ledger: any LedgerImporting, verifier: PostbackVerifier, options: ImportOptions, startsOver: Bool = false
    ) {
        self.ledger = ledger
        self.verifier = verifier
        self.options = options
        self.startsOver = startsOver
    }

    /// Imports a file.
    ///
    /// - Throws: ``Refusal``, and ``AttributionStore/StoreError``; what was recorded until then stays.
    package func run(_ file: ImportFile, onProgress: (String) -> Void = { _ in }) async throws -> ImportTally {
        var run = ImportRun(file: file, ledger: ledger)
        run.source = try file.identified(among: file.size.map { try ledger.importedFiles(upTo: $0) } ?? [])
        if startsOver {
            run.source?.records = 0
        }
        let done = Int(run.source?.records ?? 0)
        try file.readHeader()
        let reader: RecordReader
        do throws(ImportRecord.Problem) {
            reader = try RecordReader(file, options)
        } catch {
            throw Refusal(.malformedFile, "\(file.name): \(error)", hint: error.hintForFile)
        }
        var waiting: [Task<JudgedRecords, Never>] = []
        defer { waiting.forEach { $0.cancel() } }
        var count = 0
        var hasTables = false
        while let batch = try file.next() {
            let again = Array(batch.prefix(max(0, done - count)))
            let records = Array(batch.dropFirst(again.count))
            count += batch.count
            if !again.isEmpty {
                waiting.append(Task { JudgedRecords(readBefore: again, reader) })
            }
            if !records.isEmpty {
                if !hasTables, records.count >= 256 {
                    // Without its tables OpenSSL verifies alone, many times slower.
                    try? verifier.prepareTables()
                    hasTables = true
                }
                waiting.append(Task { [verifier] in JudgedRecords(records, reader, verifier) })
            }
            if waiting.count >= 2 * ProcessInfo.processInfo.activeProcessorCount {
                try run.take(await waiting.removeFirst().value)
                if run.deliveries.count >= Self.transaction {
                    try run.record()
                    onProgress("\(file.name): \(run.tally.total) read\(file.progress)")
                }
            }
        }
        for task in waiting {
            try run.take(await task.value)
        }
        try run.record()
        try run.finish()
        if file.input == .log, run.tally.total > 0, run.tally[.withoutBody] == run.tally.total {
            throw Refusal(
                .malformedFile, "no line of \(file.name) has a body",
                hint: "log the body, with nginx as \"$request_body\"")
        }
        return run.tally
    }
}

/// Reads the records of one file.
enum RecordReader: Sendable {
    case fields(FieldRecords, isCSV: Bool)
    case log(LogRecords)

    init(_ file: ImportFile, _ options: ImportOptions) throws(ImportRecord.Problem) {
        if file.input == .log {
            self = .log(LogRecords(options: options))
        } else {
            self = .fields(try FieldRecords(file.header, options: options), isCSV: file.header != nil)
        }
    }

    /// What is in a record: one postback or none, or those of an array in it.
    func read(_ record: RawRecord) -> [ImportRecord] {
        do throws(ImportRecord.Problem) {
            let bytes = try record.wholeBytes
            switch self {
            case .fields(let reader, let isCSV):
                // Half a number is a number, too; what is cut off of JSON is no object.
                guard !isCSV || !record.isUnfinished else {
                    throw .unfinished
                }
                return try reader.read(bytes)
            case .log(let reader):
                let read = try reader.read(bytes)
                // The path or the time may come behind the body.
                if case .delivery = read, record.isUnfinished {
                    throw .unfinished
                }
                return [read]
            }
        } catch {
            return [.unreadable(error)]
        }
    }
}
