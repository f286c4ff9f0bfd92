import Attribution
import AttributionStore
import GRDB

/// What a row of `postback` says besides its body, as found in a page of the file.
struct FoundRow {
    /// Nil if it is of the wrong type; then the others may be whole.
    let recordedAt: Int64?
    let receivedAt: Int64
    let recipient: Delivery.Recipient
    let traffic: Traffic

    /// The columns of the table.
    private static let columnCount = 9

    /// Reads the values of a row.
    private init?(_ values: [PageRecords.Value]) {
        guard let receivedAt = values[2].integer,
            let recipient = values[3].text.flatMap({ Delivery.Recipient(rawValue: $0) }),
            let traffic = values[4].text.flatMap({ Traffic(rawValue: $0) })
        else {
            return nil
        }
        recordedAt = values[1].integer
        self.receivedAt = receivedAt
        self.recipient = recipient
        self.traffic = traffic
    }

    /// Looks for rows in every page of the file, by the digests of their keys: a damaged id would not say which they are.
    ///
    /// - Parameters:
    ///   - keys: The digests.
    ///   - db: The store.
    /// - Returns: The first row found of each digest.
    /// - Throws: SQLite's errors.
    static func all(of keys: some Sequence<Digest16>, _ db: Database) throws -> [Digest16: FoundRow] {
        let keys = Set(keys)
        var found: [Digest16: FoundRow] = [:]
        try FilePages(db)?.eachRow(columns: columnCount) { values, _ in
            if let key = values[7].blob.flatMap({ Digest16($0) }), keys.contains(key),
                found[key] == nil
            {
                found[key] = FoundRow(values)
            }
        }
        return found
    }
}
