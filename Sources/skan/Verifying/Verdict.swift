import Attribution
import AttributionExplaining
import AttributionSigning
import StrictJSON

/// The verdict of `skan verify` on one postback.
struct Verdict {
    private let file: String
    private let number: Int
    private let judgement: Judgement
    /// What the record is, if it is not something a device sends, and what to do.
    private let explanation: String?
    /// The cause, if it was asked for.
    private let cause: Explanation?

    init(
        _ judgement: Judgement, of record: JSONObjectSplitter.Record, file: String, number: Int, unwrapped: Bool,
        explainer: PostbackExplainer? = nil
    ) {
        cause = explainer?.explain(judgement)
        self.file = file
        self.number = number
        if case .rejected(.notJSON(.tooLong(_, let limit)), let body) = judgement {
            // The splitter keeps only the beginning of an endless record.
            let count = record.count > body.count ? record.count : body.count
            self.judgement = .rejected(.notJSON(.tooLong(count: count, limit: limit)), body: [])
        } else {
            self.judgement = judgement
        }
        if case .rejected = judgement, !unwrapped {
            explanation = Wrapping(record)?.explanation ?? Self.explanation(ofImpression: record)
        } else {
            explanation = nil
        }
    }

    /// The single verdict on a file that does not hold plain objects.
    init(_ peculiarity: FilePeculiarity, file: String, explainer: PostbackExplainer? = nil) {
        self.file = file
        number = 1
        judgement = .rejected(.notJSON(.notAnObject(offset: 0)), body: [])
        explanation = peculiarity.explanation(file)
        cause = explainer?.explain(judgement)
    }

    /// What a signed impression is, and what to do; nil for anything else.
    private static func explanation(ofImpression record: JSONObjectSplitter.Record) -> String? {
        guard let object = try? JSONObject(reading: record.bytes, limit: JSONObjectSplitter.longestRecord),
            object["nonce"] != nil, object["transaction-id"] == nil
        else {
            return nil
        }
        return "it is an impression, not a postback; skan check-impression --public-key FILE verifies it"
    }

    /// The cause is never the postback.
    private static let undecided =
        "the signature could not be verified: OpenSSL is out of memory or damaged (skan selftest checks it)"

    var word: VerdictWord { VerdictWord(judgement) }

    /// One line, and more if an explanation was asked for.
    var text: String {
        ([sentence] + (cause?.lines.map { "    \($0.label): \($0.text)" } ?? [])).joined(separator: "\n")
    }

    private var sentence: String {
        let prefix = "\(file):\(number): \(word.rawValue)"
        switch judgement {
        case .verified(let verified):
            let key = verified.postback.key
            let id =
                switch verified.postback {
                case .skAdNetwork(let postback):
                    "version \(postback.version.rawValue) \(key.adNetworkID) transaction-id"
                case .adAttributionKit(let postback):
                    "adattributionkit \(postback.conversionType.rawValue) \(key.adNetworkID) postback-identifier"
                }
            return "\(prefix) \(id) \(key.transactionID) (\(verified.keyName))"
                + (verified.provenance == .apple ? "" : " \(verified.provenance.rawValue.uppercased())")
                + verified.postback.flaggedValues.map { "; \($0)" }.joined()
        case .rejected(let rejection, _):
            return "\(prefix) \(explanation ?? rejection.description)"
        case .undecided:
            return "\(prefix) \(Self.undecided)"
        }
    }

    var json: JSONText { json(adding: []) }

    /// The verdict with more members.
    func json(adding more: [(String, JSONText)]) -> JSONText {
        var members: [(String, JSONText)] = [
            ("file", .string(file)), ("number", .integer(Int64(number))), ("verdict", .string(word.rawValue)),
        ]
        switch judgement {
        case .verified(let verified):
            members += [
                ("provenance", .string(verified.provenance.rawValue)),
                ("key", .string(verified.keyName)),
                ("framework", .string(verified.postback.framework.rawValue)),
            ]
            members += Self.members(verified.postback)
            let flagged = verified.postback.flaggedValues
            members += flagged.isEmpty ? [] : [("flagged", .array(flagged.map(\.json)))]
        case .rejected(let rejection, _):
            members.append(("reason", .string(explanation ?? rejection.description)))
            if explanation == nil, case .malformed(let problems) = rejection {
                members.append(("problems", .array(problems.map(\.json))))
            }
        case .undecided:
            members.append(("reason", .string(Self.undecided)))
        }
        return .object(members + (cause?.members ?? []) + more)
    }
}

extension Verdict {
    /// The fields that identify a postback, and the names of those that are not signed.
    private static func members(_ postback: ReceivedPostback) -> [(String, JSONText)] {
        switch postback {
        case .skAdNetwork(let postback):
            [
                ("version", .string(postback.version.rawValue)),
                ("ad-network-id", .string(postback.adNetworkID.text)),
                ("transaction-id", .string(postback.transactionID.text)),
                ("unproven", unproven(postback.fields.filter { !postback.signs($0.name) })),
            ]
        case .adAttributionKit(let postback):
            [
                ("kid", .string(postback.keyID.rawValue)),
                ("ad-network-identifier", .string(postback.adNetworkID.text)),
                ("postback-identifier", .string(postback.postbackIdentifier.text)),
                ("conversion-type", .string(postback.conversionType.rawValue)),
                ("unproven", unproven(postback.unprovenFields)),
            ]
        }
    }

    private static func unproven(_ fields: [JSONField]) -> JSONText {
        .array(fields.map { .string($0.name) })
    }
}

extension SKAdNetworkPostback {
    /// Whether a field is signed, or is the signature.
    fileprivate func signs(_ name: String) -> Bool {
        guard let field = PostbackField(rawValue: name) else {
            return false
        }
        return field == .attributionSignature || PostbackField.signed(in: version).contains(field)
    }
}

extension FieldProblem {
    /// The problem's parts by name.
    fileprivate var json: JSONText {
        .object(["field": .string(field), "found": .string(found), "expected": .string(expected)])
    }
}

/// The number of verdicts of each kind.
struct VerdictTally: Sendable, CustomStringConvertible {
    private var counts: [VerdictWord: Int] = [:]

    /// All verdicts.
    var total: Int { counts.values.reduce(0, +) }

    /// The verdicts of one kind.
    subscript(word: VerdictWord) -> Int { counts[word, default: 0] }

    mutating func count(_ verdict: Verdict) {
        counts[verdict.word, default: 0] += 1
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.counts.merge(rhs.counts, uniquingKeysWith: +)
    }

    /// The exit status of the run; nil when all are valid.
    var exitStatus: ExitStatus? {
        if counts[.undecided] != nil {
            .undecided
        } else {
            counts.keys.allSatisfy { $0 == .valid } ? nil : .negative
        }
    }

    /// For example `29 checked: 4 valid, 12 malformed, 13 invalid`.
    var description: String {
        let parts = VerdictWord.allCases.compactMap { word in counts[word].map { "\($0) \(word.rawValue)" } }
        return "\(total) checked: " + parts.joined(separator: ", ")
    }
}
