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
        case .rejected(.malformed, _), .rejected(.notJSON, _): "malformed"
        }
    }

    var text: String {
        let place = "\(file):\(number): \(word)"
        switch judgement {
        case .verified(let verified):
            let postback = verified.postback
            return "\(place) version \(postback.version.rawValue) \(postback.adNetworkID) "
                + "transaction-id \(postback.transactionID) (\(verified.keyName))"
                + (verified.provenance == .test ? " TEST" : "")
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
            let postback = verified.postback
            members += [
                ("provenance", .string(verified.provenance.rawValue)),
                ("key", .string(verified.keyName)),
                ("version", .string(postback.version.rawValue)),
                ("ad-network-id", .string(postback.adNetworkID.text)),
                ("transaction-id", .string(postback.transactionID.text)),
            ]
        case .rejected(let rejection, _):
            members.append(("reason", .string(rejection.description)))
            if case .malformed(let problems) = rejection {
                members.append(("problems", .array(problems.map(\.json))))
            }
        }
        return .object(members)
    }
}

extension FieldProblem {
    /// The problem's parts by name.
    fileprivate var json: JSONText {
        .object(["field": .string(field), "found": .string(found), "expected": .string(expected)])
    }
}
