import Attribution
import StrictJSON

/// What `skan verify` says of one postback.
struct Verdict {
    /// The verdict's word: what is not JSON is malformed too.
    enum Word: String, CaseIterable {
        case valid, invalid, malformed
        case unknownVersion = "unknown-version"
        case unknownKey = "unknown-key"
        case undecided
    }

    private let file: String
    private let number: Int
    private let judgement: Judgement
    /// What the record is, where it is something else than a device sends, and what to do.
    private let explanation: String?

    /// Puts a judgement into words.
    ///
    /// - Parameters:
    ///   - judgement: What the verifier made of it.
    ///   - record: The piece of the file.
    ///   - file: The file's name.
    ///   - number: The piece's number in the file, from 1.
    ///   - unwrapped: Whether what is around a postback was taken off.
    init(
        _ judgement: Judgement, of record: JSONObjectSplitter.Record, file: String, number: Int, unwrapped: Bool
    ) {
        self.file = file
        self.number = number
        if case .rejected(.notJSON(.tooLong(_, let limit)), let body) = judgement {
            // The splitter keeps no more than the beginning of an endless record.
            let count = record.count > body.count ? record.count : body.count
            self.judgement = .rejected(.notJSON(.tooLong(count: count, limit: limit)), body: [])
        } else {
            self.judgement = judgement
        }
        if case .rejected = judgement, !unwrapped {
            explanation = Wrapping(record)?.explanation
        } else {
            explanation = nil
        }
    }

    /// The one verdict on a file that holds no plain objects.
    init(_ peculiarity: FilePeculiarity, file: String) {
        self.file = file
        number = 1
        judgement = .rejected(.notJSON(.notAnObject(offset: 0)), body: [])
        explanation = peculiarity.explanation(file)
    }

    /// What OpenSSL says of it is for programs; neither fault is one of the postback.
    private static let undecided =
        "the signature could not be verified: OpenSSL lacks memory or is damaged (skan selftest checks it)"

    var word: Word {
        switch judgement {
        case .verified: .valid
        case .rejected(.invalidSignature, _): .invalid
        case .rejected(.unknownVersion, _): .unknownVersion
        case .rejected(.unknownKey, _): .unknownKey
        case .rejected(.malformed, _), .rejected(.notJSON, _): .malformed
        case .undecided: .undecided
        }
    }

    var text: String {
        let place = "\(file):\(number): \(word.rawValue)"
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
            return "\(place) \(id) \(key.transactionID) (\(verified.keyName))"
                + (verified.provenance == .apple ? "" : " \(verified.provenance.rawValue.uppercased())")
        case .rejected(let rejection, _):
            return "\(place) \(explanation ?? rejection.description)"
        case .undecided:
            return "\(place) \(Self.undecided)"
        }
    }

    var json: JSONText {
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
        case .rejected(let rejection, _):
            members.append(("reason", .string(explanation ?? rejection.description)))
            if explanation == nil, case .malformed(let problems) = rejection {
                members.append(("problems", .array(problems.map(\.json))))
            }
        case .undecided:
            members.append(("reason", .string(Self.undecided)))
        }
        return .object(members)
    }
}

extension Verdict {
    /// What identifies a postback, and what it says that nobody signed.
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
    /// Whether the signature covers a field, or is it.
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
