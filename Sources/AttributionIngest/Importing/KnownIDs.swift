import Attribution
package import AttributionStore

/// Claims the ids of postbacks whose bytes nobody has any more, from CSV or NDJSON.
package enum KnownIDs {
    /// What became of the ids of a file.
    package struct Tally: Hashable, Sendable {
        /// Ids that were not claimed before.
        package var claimed = 0
        /// All ids.
        package var total = 0
        /// An id that was not claimed, because it may be cut off.
        package var unfinished: ImportProblem?
    }

    private static let network = ["ad-network-id", "ad-network-identifier", "network"]
    private static let transaction = ["transaction-id", "postback-identifier"]
    private static let index = ["postback-sequence-index", "sequence-index"]

    /// Ids of one transaction.
    private static let transactionCount = 65_536

    /// Claims the ids of a file.
    ///
    /// - Throws: ``Refusal`` naming the first record that is no id, and ``AttributionStore/StoreError``; what was
    ///   claimed until then stays claimed.
    package static func claim(
        _ file: ImportFile, in ledger: any LedgerImporting, onProgress: (String) -> Void = { _ in }
    ) throws -> Tally {
        guard file.input != .log else {
            throw Refusal(.malformedFile, "\(file.name) is an access log", hint: "expected CSV or NDJSON with ids")
        }
        try file.readHeader()
        if let names = file.header?.names {
            guard names.contains(where: Self.network.contains), names.contains(where: Self.transaction.contains) else {
                throw Refusal(
                    .malformedFile,
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
                    throw Refusal(.malformedFile, "\(file.name), \(file.recordName) \(record.number): \(problem)")
                }
                // Part of an id would be another one.
                guard file.header == nil || !record.isUnfinished else {
                    tally.unfinished = ImportProblem(
                        number: record.number, reason: "\(ImportRecord.Problem.unfinished)")
                    continue
                }
                guard let id = Self.id(record.bytes, file.header) else {
                    throw Refusal(
                        .malformedFile,
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
