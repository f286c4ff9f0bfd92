import Attribution

/// What `skan verify` says of one postback.
struct Verdict {
    private let file: String
    private let number: Int
    private let judgement: Judgement

    init(_ judgement: Judgement, file: String, number: Int) {
        self.judgement = judgement
        self.file = file
        self.number = number
    }

    var isValid: Bool {
        if case .verified = judgement { true } else { false }
    }

    /// The verdict's word: what is not JSON is malformed too.
    private var word: String {
        switch judgement {
        case .verified: "valid"
        case .rejected(.invalidSignature, _): "invalid"
        case .rejected(.unknownVersion, _): "unknown-version"
        case .rejected(.unknownKey, _): "unknown-key"
        case .rejected(.malformed, _), .rejected(.notJSON, _): "malformed"
        }
    }

    var text: String {
        let place = "\(file):\(number): \(word)"
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
            return "\(place) \(rejection)"
        }
    }

    var json: JSONText {
        var members: [(String, JSONText)] = [
            ("file", .string(file)), ("number", .integer(Int64(number))), ("verdict", .string(word)),
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
            members.append(("reason", .string(rejection.description)))
            if case .malformed(let problems) = rejection {
                members.append(("problems", .array(problems.map(\.json))))
            }
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
