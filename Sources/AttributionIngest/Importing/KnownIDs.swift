import Attribution
package import AttributionStore

/// Claims the ids of postbacks whose bytes nobody has any more, from CSV or NDJSON.
package struct KnownIDs {
    /// What became of the ids of a file.
    package struct Tally: Hashable, Sendable {
        /// Ids that were not claimed before.
        package var claimed = 0
        /// All ids.
        package var total = 0
        /// An id that was not claimed, because it may be cut off.
        package var unfinished: ImportProblem?
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
        try file.readHeader()
        if let names = file.header?.names {
            guard names.contains(where: Self.network.contains), names.contains(where: Self.transaction.contains) else {
                throw ImportFailure(
                    "\(file.name): expected a header with ad-network-id and transaction-id (or ad-network-identifier and "
                        + "postback-identifier)")
            }
        }
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
                guard file.header == nil || !record.isUnfinished else {
                    tally.unfinished = ImportProblem(
                        number: record.number, reason: "\(ImportRecord.Problem.unfinished)")
                    continue
                }
                guard let id = Self.id(record.bytes, file.header) else {
                    throw ImportFailure(
                        "\(file.name), \(file.recordName) \(record.number): expected ad-network-id, transaction-id "
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

    private static func id(_ bytes: [UInt8], _ header: CSVHeader?) -> KnownID? {
        guard let fields = try? RecordFields(bytes, header), let network = fields.text(network), !network.isEmpty,
            let transaction = fields.text(transaction), !transaction.isEmpty
        else {
            return nil
        }
        let index = fields.text(index) ?? ""
        guard ["", "0", "1", "2"].contains(index) else {
            return nil
        }
        return KnownID(network: network, transaction: transaction, sequenceIndex: Int64(index))
    }
}
