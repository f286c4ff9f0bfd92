import Attribution
import AttributionSigning
import StrictJSON

/// An SKAdNetwork impression as it claims to be; what is made of it proves nothing until it verifies.
struct ClaimedImpression {
    /// The values by field, of the types they came in.
    var values: [ImpressionField: JSONValue]
    /// The form, if the names tell it: their fidelity is signed but not passed on.
    let form: AdForm?

    /// A field that occurs under two names with two values; nil if there is none.
    let contradiction: String?

    /// Takes the fields by any of their names; nil if it has neither a nonce nor a signature.
    init?(_ fields: [JSONField]) {
        values = [:]
        var contradiction: String?
        var form: AdForm?
        let fields = fields.filter { $0.value != .null }
        for field in fields {
            guard let known = ImpressionField(name: field.name) else {
                continue
            }
            if let first = values[known], first != field.value {
                contradiction = contradiction ?? field.name
            }
            values[known] = values[known] ?? field.value
            if field.name.hasPrefix("SKStoreProductParameter") || ImpressionField.isStoreKitKey(field.name) {
                form = .storeKitRendered
            } else if field.name == "adImpressionIdentifier" {
                form = .viewThrough
            } else if known == .sourceDomain || field.name.contains("_") {
                form = form ?? .web
            }
        }
        for (field, value) in ImpressionField.otherNames(in: fields) where values[field] == nil {
            values[field] = value
        }
        if fields.contains(where: { $0.name == "itunesitem" }) {
            // OpenRTB writes numbers as strings.
            for (field, value) in values where field.wireType == .integer {
                if case .string(let text) = value, let number = Int64(text), String(number) == text {
                    values[field] = .integer(number)
                }
            }
        }
        self.contradiction = contradiction
        self.form = form
        guard values[.nonce] != nil || values[.signature] != nil else {
            return nil
        }
    }

    /// Whether it is an impression, and not something around one that has a nonce or a signature of its own.
    var isPlausible: Bool { values[.adNetworkID] != nil || values[.itunesItemID] != nil }

    /// The fidelity to sign: the one it names, or the one of its form; nil if neither says.
    var fidelity: JSONValue? {
        values[.fidelityType] ?? form.map { .integer($0 == .viewThrough ? 0 : 1) }
    }

    /// The version; 1.0 if absent, nil for an unknown one.
    var version: SKAdNetworkVersion? {
        values[.version].map { value in
            if case .string(let text) = WireType.version.convert(value) {
                SKAdNetworkVersion(rawValue: text)
            } else {
                nil
            }
        } ?? .v1_0
    }

    /// The version that it means: also of one that is spelt otherwise, as `4`.
    var meantVersion: SKAdNetworkVersion {
        guard case .string(let text)? = values[.version].flatMap({ WireType.version.convert($0) }) else {
            return .v1_0
        }
        let digits = String(text.drop { !$0.isNumber })
        return SKAdNetworkVersion.allCases.first { $0.rawValue == digits || $0.rawValue == digits + ".0" }
            ?? (values[.campaignID] == nil ? .v4_0 : .v3_0)
    }

    /// The bytes of the signature; nil if it is not in standard base64.
    var signature: [UInt8]? {
        if case .string(let text) = values[.signature] { Base64.decode(text) } else { nil }
    }

    /// Every value that Apple refuses: after each, the check goes on as if it were absent or right.
    var problems: [FieldProblem] {
        var problems: [FieldProblem] = []
        var copy = self
        while let problem = copy.firstProblem, !problems.contains(where: { $0.field == problem.field }) {
            problems.append(problem)
            guard let field = ImpressionField(rawValue: problem.field) else {
                break
            }
            var other = copy
            other.values[field] = nil
            // Without its version it would be one of 1.0.
            if field == .version || copy.values[field] == nil || other.firstProblem?.field == field.rawValue {
                other.values[field] = field.example(in: meantVersion)
            }
            copy = other
        }
        return problems
    }

    private var firstProblem: FieldProblem? {
        do throws(FieldProblem) {
            _ = try checked()
            return nil
        } catch {
            return error
        }
    }

    /// Checks every value against Apple's rules for its version.
    private func checked() throws(FieldProblem) -> SKAdNetworkImpression {
        let version = try text(.version) ?? SKAdNetworkVersion.v1_0.rawValue
        let knowsFidelity = SKAdNetworkVersion(rawValue: version)?.hasFidelityType ?? true
        var fidelityType = try integer(.fidelityType)
        if fidelityType == nil, knowsFidelity, form == .viewThrough {
            fidelityType = FidelityType.viewThrough.rawValue
        }
        guard try text(.signature) != nil else {
            throw problem(.signature, nil, "a signature in standard base64")
        }
        guard let network = try text(.adNetworkID) else {
            throw problem(.adNetworkID, nil, "the network's id")
        }
        guard let nonce = try text(.nonce) else {
            throw problem(.nonce, nil, "a version 4 UUID in lower case")
        }
        guard let item = try integer(.itunesItemID) else {
            throw problem(.itunesItemID, nil, "the App Store id of the advertised app")
        }
        guard let timestamp = try integer(.timestamp) else {
            throw problem(.timestamp, nil, "Unix time in milliseconds (13 digits)")
        }
        return try SKAdNetworkImpressionDraft(
            version: version, adNetworkID: network, campaignID: try integer(.campaignID),
            sourceIdentifier: try integer(.sourceIdentifier), itunesItemID: item,
            sourceAppID: try integer(.sourceAppID), sourceDomain: try text(.sourceDomain), fidelityType: fidelityType,
            nonce: nonce, timestampMilliseconds: timestamp
        ).checked()
    }

    /// The values in the order of a version, as they are.
    func text(of version: SKAdNetworkVersion) -> ImpressionText {
        var fields: [ImpressionField] = version > .v1_0 ? [.version] : []
        let (first, second): (ImpressionField, ImpressionField) =
            version.hasSourceIdentifier ? (.sourceIdentifier, .campaignID) : (.campaignID, .sourceIdentifier)
        fields += [.adNetworkID, values[first] == nil ? second : first, .itunesItemID, .nonce]
        if version > .v1_0 {
            fields.append(values[.sourceDomain] == nil ? .sourceAppID : .sourceDomain)
        }
        if version.hasFidelityType {
            fields.append(.fidelityType)
        }
        return ImpressionText(
            parts: (fields + [.timestamp]).compactMap { field in
                let value = field == .fidelityType ? fidelity ?? .integer(1) : values[field]
                return value?.signedText.map { ImpressionText.Part(field: field, text: $0) }
            })
    }

    private func text(_ field: ImpressionField) throws(FieldProblem) -> String? {
        switch values[field] {
        case nil: return nil
        case .string(let text): return text
        case let value?: throw problem(field, value, "a string")
        }
    }

    private func integer(_ field: ImpressionField) throws(FieldProblem) -> Int64? {
        switch values[field] {
        case nil: return nil
        case .integer(let number): return number
        case let value?: throw problem(field, value, "a whole number")
        }
    }

    private func problem(_ field: ImpressionField, _ value: JSONValue?, _ expected: String) -> FieldProblem {
        FieldProblem(field: field.rawValue, found: value?.summary ?? "nothing", expected: expected)
    }
}

extension JSONValue {
    /// The value as it would be joined into a signed text; nil for one that has no such text.
    fileprivate var signedText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .nested: nil
        }
    }
}
