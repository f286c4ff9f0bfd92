import Attribution
import AttributionStore

/// Everything that the tables have of a postback.
struct StoredPostback {
    let recorded: RecordedPostback
    /// The codes in the order of `PostbackFacts.codedColumns`.
    let codes: [Int32]
    private let transaction: Int64
    private let quarter: Int64
    private let digestVersion: Int64

    /// What ``init(_:_:)`` takes.
    static let columns =
        RecordedPostback.columns + ", p.transaction, p.quarter, p.digest_version, "
        + PostbackFacts.codedColumns.map { "p.\($0)" }.joined(separator: ", ")

    /// Takes a row of ``columns``.
    init(_ result: PostgreSQLResult, _ row: Int) throws {
        recorded = try RecordedPostback(result, row)
        transaction = try result.integer(row, 8)
        quarter = try result.integer(row, 9)
        digestVersion = try result.integer(row, 10)
        codes = try PostbackFacts.codedColumns.indices.map {
            Int32(truncatingIfNeeded: try result.integer(row, 11 + $0))
        }
    }

    /// Whether the facts are what the bytes say.
    func says(_ postback: ReceivedPostback, _ digests: PostbackDigests, _ texts: CodedTexts) -> Bool {
        let facts = PostbackFacts(
            postback, traffic: recorded.traffic, recipient: recorded.recipient,
            receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
        return quarter == facts.quarter && recorded.check == digests.key.positionCheck
            && Int32(truncatingIfNeeded: transaction)
                == Int32(bitPattern: UInt32(truncatingIfNeeded: facts.transaction))
            && digestVersion == PostbackDigests.version
            // A text that cannot be read is a difference of its own.
            && zip(codes, facts.values(keyName: recorded.keyName)).allSatisfy { code, value in
                texts.isDamaged(code) || texts.text(code, value.kind) == value.text
            }
    }
}

/// The texts that codes stand for, as far as they were asked for.
struct CodedTexts {
    private var texts: [Int32: CodedValue] = [:]
    private var damaged: Set<Int32> = []

    /// Looks up codes that are not known yet.
    mutating func learn(_ codes: some Sequence<Int32>, _ connection: PostgreSQLConnection) throws {
        let unknown = Set(codes).filter { $0 != 0 && texts[$0] == nil && !damaged.contains($0) }
        guard !unknown.isEmpty else {
            return
        }
        let found = try connection.run(
            "SELECT code, kind, value, \(CodedValue.isIntactSQL) FROM skan.value AS v WHERE code = ANY ($1::int4[])",
            [.smallIntegers(Array(unknown))])
        for row in 0..<found.count {
            let code = Int32(truncatingIfNeeded: try found.integer(row, 0))
            guard try found.bool(row, 3) else {
                damaged.insert(code)
                continue
            }
            texts[code] = CodedValue(kind: try found.word(row, 1), text: try found.text(row, 2))
        }
    }

    /// Whether the text of a code is not the one that it was made for; it is not told then.
    func isDamaged(_ code: Int32) -> Bool {
        damaged.contains(code)
    }

    /// The text of a code; nil for one that stands for none of that kind.
    func text(_ code: Int32, _ kind: CodedValue.Kind) -> String? {
        code == 0 ? "" : texts[code].flatMap { $0.kind == kind ? $0.text : nil }
    }
}
