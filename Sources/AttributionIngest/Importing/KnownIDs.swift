import Attribution
package import AttributionStore
import StrictJSON

/// Claims the ids of postbacks whose bytes nobody has any more, from CSV or NDJSON.
package struct KnownIDs {
    /// What became of the ids of a file.
    package struct Tally: Hashable, Sendable {
        /// Ids that were not claimed before.
        package var claimed = 0
        /// All ids.
        package var total = 0
        /// The line of an id that was not claimed, because it may be cut off.
        package var unfinishedLine: Int?
    }

    private let ledger: any LedgerImporting

    private static let network = ["ad-network-id", "ad-network-identifier", "network"]
    private static let transaction = ["transaction-id", "postback-identifier"]
    private static let index = ["postback-sequence-index", "sequence-index"]

    /// Ids of one transaction.
    private static let transactionCount = 65_536

    /// Makes it for a store.
    package init(ledger: any LedgerImporting) {
        self.ledger = ledger
    }

    /// Claims the ids of a file.
    ///
    /// - Parameters:
    ///   - file: The file, from its beginning.
    ///   - onProgress: Told now and then how far it is.
    /// - Returns: How many there were; a last line of CSV that does not end is left for the next time.
    /// - Throws: ``ImportFailure`` naming the first record that is no id, and ``AttributionStore/StoreError``; what was
    ///   claimed until then stays claimed.
    package func claim(_ file: ImportFile, onProgress: (String) -> Void = { _ in }) throws -> Tally {
        guard file.input != .log else {
            throw ImportFailure("\(file.name) is an access log", hint: "expected CSV or NDJSON with ids")
        }
        let file = try file.afterHeader()
        let columns = try file.header.map { try Self.columns($0, file.name) }
        var tally = Tally()
        var ids: [KnownID] = []
        func claim() throws {
            tally.claimed += try ledger.claim(ids)
            tally.total += ids.count
            ids.removeAll(keepingCapacity: true)
        }
        while let records = try file.next() {
            for record in records {
                if let problem = record.problem {
                    throw ImportFailure("\(file.name), \(file.recordName) \(record.number): \(problem)")
                }
                // Part of an id would be another one.
                guard columns == nil || !record.isUnfinished else {
                    tally.unfinishedLine = record.number
                    continue
                }
                guard let id = columns.map({ Self.id(record.bytes, $0) }) ?? Self.id(record.bytes) else {
                    throw ImportFailure(
                        "\(file.name), \(file.input.recordName) \(record.number): expected ad-network-id, transaction-id "
                            + "and, where there is one, postback-sequence-index (0, 1 or 2)")
                }
                ids.append(id)
            }
            if ids.count >= Self.transactionCount {
                try claim()
                onProgress("\(file.name): \(tally.total) ids\(file.progress)")
            }
        }
        try claim()
        return tally
    }

    private struct Columns {
        let header: CSVHeader
        let network: Int
        let transaction: Int
        let index: Int?
    }

    private static func columns(_ header: CSVHeader, _ name: String) throws(ImportFailure) -> Columns {
        guard let network = header.column(network), let transaction = header.column(transaction) else {
            throw ImportFailure(
                "\(name): expected a header with ad-network-id and transaction-id (or ad-network-identifier and "
                    + "postback-identifier)")
        }
        return Columns(header: header, network: network, transaction: transaction, index: header.column(index))
    }

    private static func id(_ row: [UInt8], _ columns: Columns) -> KnownID? {
        let cells = CSVRow(row, separator: columns.header.separator).cells
        guard cells.count == columns.header.names.count else {
            return nil
        }
        return id(cells[columns.network], cells[columns.transaction], columns.index.map { cells[$0] } ?? "")
    }

    private static func id(_ object: [UInt8]) -> KnownID? {
        guard let object = try? JSONObject(reading: object, limit: RawRecord.longest) else {
            return nil
        }
        func text(_ names: [String]) -> String? {
            object.fields.first { names.contains(ImportOptions.normalized($0.name)) }?.value.plainText
        }
        guard let network = text(network), let transaction = text(transaction) else {
            return nil
        }
        return id(network, transaction, text(index) ?? "")
    }

    private static func id(_ network: String, _ transaction: String, _ index: String) -> KnownID? {
        guard !network.isEmpty, !transaction.isEmpty, index.isEmpty || ["0", "1", "2"].contains(index) else {
            return nil
        }
        return KnownID(network: network, transaction: transaction, sequenceIndex: Int64(index))
    }
}
