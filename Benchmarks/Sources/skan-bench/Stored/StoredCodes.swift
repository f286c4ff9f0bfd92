/// The values of stored postbacks in the columns, and the texts of their codes.
struct StoredCodes {
    /// Codes of traits, in the order in which they were first seen.
    private var traits: [StoredTraits: Int64] = [:]
    private var traitTexts: [String] = []

    /// A postback's value in a column; codes of texts begin at 1.
    mutating func value(
        _ column: ColumnFormat.Column, _ postback: StoredPostback, id: [UInt8], digest: [UInt8]
    ) -> Int64 {
        switch column {
        case .traffic, .network, .recipient: 1
        case .traits: code(postback.traits)
        case .quarter: postback.receivedAt / 900_000
        case .app: Int64(postback.app) + 1
        case .campaignID: Int64(postback.campaignID ?? 0)
        case .sourceIdentifier: Int64(postback.sourceIdentifier ?? 999) - 999
        case .sourceApp: Int64(postback.sourceApp ?? -1) + 1
        case .sourceDomain, .country, .marketplace: 0
        case .transaction: Self.transaction(id)
        case .key: Int64(truncatingIfNeeded: digest[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    /// The lower half of the checksum of a transaction id.
    private static func transaction(_ id: [UInt8]) -> Int64 {
        var sum = ColumnChecksum()
        id.withUnsafeBytes { sum.add($0) }
        return Int64(UInt32(truncatingIfNeeded: sum.value))
    }

    private mutating func code(_ value: StoredTraits) -> Int64 {
        if let code = traits[value] {
            return code
        }
        traitTexts.append(value.text)
        traits[value] = Int64(traitTexts.count)
        return Int64(traitTexts.count)
    }

    /// The texts of a column, from code 1 on.
    private func texts(_ column: ColumnFormat.Column) -> [String] {
        switch column {
        case .traffic: ["test"]
        case .traits: traitTexts
        case .app: (0..<PostbackShape.apps).map { "\(PostbackShape.firstApp + $0)" }
        case .campaignID: (1...100).map { "\($0)" }
        case .sourceIdentifier: (1_000..<(1_000 + PostbackShape.apps * PostbackShape.campaigns)).map { "\($0)" }
        case .sourceApp: (0..<PostbackShape.sourceApps).map { "\(PostbackShape.firstSourceApp + $0)" }
        case .network: [PostbackShape.network]
        case .recipient: ["network"]
        case .quarter, .sourceDomain, .country, .marketplace, .transaction, .key: []
        }
    }

    /// Writes the texts.
    func write(_ file: SQLiteFile) throws {
        let value = try SQLiteFile.Statement(file, "INSERT INTO column_value VALUES (?, ?, ?, ?)")
        for column in ColumnFormat.Column.allCases {
            for (index, text) in texts(column).enumerated() {
                let code = Int64(index) + 1
                value.bind(column.rawValue, at: 1)
                value.bind(code, at: 2)
                value.bind(text, at: 3)
                value.bind(ColumnFormat.checksum(column, code: code, text), at: 4)
                try value.run()
            }
        }
    }
}
