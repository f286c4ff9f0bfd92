import AttributionStore

/// A text of some kind, for which rows have a code.
struct CodedValue: Hashable, Comparable {
    /// The kinds: dimensions of reports by their names, and what else rows of `skan.postback` have codes for.
    enum Kind: String, CaseIterable {
        case traits
        case network
        case app
        case campaignID = "campaign-id"
        case sourceIdentifier = "source-identifier"
        case sourceApp = "source-app"
        case sourceDomain = "source-domain"
        case country
        case marketplace
        case keyName = "key-name"

        /// The column of `skan.postback` with its codes.
        var column: String {
            rawValue.replacing("-", with: "_")
        }
    }

    let kind: Kind
    let text: String

    // By bytes, as the server's "C" collation: values are inserted in one order by all.
    static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.kind == rhs.kind
            ? lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
            : lhs.kind.rawValue.utf8.lexicographicallyPrecedes(rhs.kind.rawValue.utf8)
    }
}

/// The codes that a node remembers; 0 is the empty text.
///
/// What it remembers is confirmed by every transaction that uses it, for another server may have taken over that never
/// saw the last codes.
struct ValueCodes {
    private var codes: [CodedValue: Int32] = [:]

    /// Beyond it everything is forgotten, and looked up again.
    private static let limit = 200_000

    /// The code of a value; nil for one that ``learn(_:_:)`` was not told of.
    func code(_ value: CodedValue) -> Int32? {
        value.text.isEmpty ? 0 : codes[value]
    }

    /// Forgets everything.
    mutating func removeAll() {
        codes.removeAll()
    }

    /// Finds the codes of values, and gives new ones to those that have none, outside of any transaction.
    mutating func learn(_ values: some Sequence<CodedValue>, _ connection: PostgreSQLConnection) throws {
        if codes.count > Self.limit {
            codes.removeAll()
        }
        var unknown = Set(values.filter { code($0) == nil }).sorted()
        try look(&unknown, connection)
        guard !unknown.isEmpty else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.value (kind, value)
            SELECT kind, value FROM unnest($1::text[], $2::text[]) AS fresh (kind, value)
            ORDER BY kind COLLATE "C", value COLLATE "C" ON CONFLICT DO NOTHING
            """, Self.parameters(unknown))
        try look(&unknown, connection)
    }

    private mutating func look(_ unknown: inout [CodedValue], _ connection: PostgreSQLConnection) throws {
        guard !unknown.isEmpty else {
            return
        }
        let found = try connection.run(
            """
            SELECT kind, value, code FROM unnest($1::text[], $2::text[]) AS wanted (kind, value)
            JOIN skan.value USING (kind, value)
            """, Self.parameters(unknown))
        for row in 0..<found.count {
            codes[CodedValue(kind: try found.word(row, 0), text: try found.text(row, 1))] =
                Int32(truncatingIfNeeded: try found.integer(row, 2))
        }
        unknown.removeAll { codes[$0] != nil }
    }

    private static func parameters(_ values: [CodedValue]) -> [PostgreSQLParameter] {
        [.texts(values.map(\.kind.rawValue)), .texts(values.map(\.text))]
    }
}

extension PostbackFacts {
    /// The values that a row has codes for, in the order of the columns of `skan.postback`.
    func values(keyName: String) -> [CodedValue] {
        let texts = [
            traits.description, network, app, campaignID, sourceIdentifier, sourceApp, sourceDomain, country,
            marketplace, keyName,
        ]
        return zip(CodedValue.Kind.allCases, texts).map { CodedValue(kind: $0, text: $1) }
    }

    /// The columns of ``values(keyName:)``.
    static let codedColumns = CodedValue.Kind.allCases.map(\.column)
}

/// A code that a node remembered is not what the server has.
struct StaleCodes: Error {}
