import Attribution
import AttributionSigning
import StrictJSON

/// What is known to happen to postbacks on their way, in order of likelihood.
enum Mishap: Int, CaseIterable {
    case zeroFilled, renamed, dropped, letterCase, retyped, version, signatureEncoding, keyName, moved, exchanged
    case whiteSpace, separator, added, changed, misspelt

    /// Those of which two at once are tried: pipelines that do one of them often do another.
    static let combined: [Mishap] = [
        .zeroFilled, .letterCase, .retyped, .version, .signatureEncoding, .moved, .whiteSpace,
    ]

    /// Every way to undo it on a postback.
    func repairs(of claim: ClaimedPostback, networks: [String]) -> [Repair] {
        switch self {
        case .zeroFilled: claim.withoutOptionalFields(ifEmpty: true)
        case .renamed: claim.withNamesRespelled
        case .dropped: claim.withDroppedFields
        case .letterCase: claim.inOtherLetterCase(networks)
        case .retyped: claim.inWireTypes
        case .version: claim.inOtherVersions
        case .signatureEncoding: claim.withSignatureRespelled
        case .keyName: claim.underOtherKeyNames
        case .moved: claim.withFieldsMoved
        case .exchanged: claim.withTypesExchanged
        case .whiteSpace: claim.withoutWhiteSpace
        case .separator: claim.withoutSeparators
        case .added: claim.withoutOptionalFields(ifEmpty: false)
        case .changed: claim.withValuesFlipped(networks)
        case .misspelt: claim.withLastCharacterReplaced
        }
    }
}

/// The choice of repairs that are tried for the answer to a delivery.
extension Mishap {
    /// Those that few verifications prove: first those that the text itself suggests.
    static let cheap: [Mishap] = [.zeroFilled, .signatureEncoding, .dropped, .letterCase, .version, .keyName]

    /// The likeliest ways to undo it on a postback that can be read.
    func cheapRepairs(of claim: ClaimedPostback, networks: [String]) -> [Repair] {
        let repairs = repairs(of: claim, networks: networks)
        switch self {
        case .zeroFilled, .signatureEncoding: return repairs
        // Without its version a postback is read as one of 1.0; without another field it is malformed.
        case .dropped: return repairs.filter { $0.field == PostbackField.version.rawValue }
        case .letterCase: return repairs.filter(\.hasUsualLetterCase)
        case .version:
            let versions = SKAdNetworkVersion.allCases
            let index = claim.version.flatMap { versions.firstIndex(of: $0) }
            return repairs.filter { repair in
                guard let index, let other = repair.claim.version.flatMap({ versions.firstIndex(of: $0) }) else {
                    return false
                }
                return abs(other - index) == 1
            }
        case .keyName: return repairs.filter { $0.claim.jws?.escapesSlashes == claim.jws?.escapesSlashes }
        case .renamed, .retyped, .moved, .exchanged, .whiteSpace, .separator, .added, .changed, .misspelt: return []
        }
    }
}

/// A postback with one mishap undone.
struct Repair {
    /// The mishap, as the cause.
    let cause: ExplanationCause
    /// The field at fault.
    let field: String
    /// What was undone, after "would verify if".
    let condition: String
    /// The postback without it.
    let claim: ClaimedPostback

    init(_ cause: ExplanationCause, _ field: String, _ condition: String, _ claim: ClaimedPostback) {
        self.cause = cause
        self.field = field
        self.condition = condition
        self.claim = claim
    }
}

extension Repair {
    /// Whether the letters of its field are in a case in which they are usually signed.
    fileprivate var hasUsualLetterCase: Bool {
        guard let field = PostbackField(rawValue: field), case .string(let text) = claim.statement[field] else {
            return false
        }
        return switch field {
        case .transactionID, .postbackIdentifier: true
        // Such as com.apple.AppStore.
        case .marketplaceIdentifier: false
        default: text == text.lowercased()
        }
    }
}

extension ClaimedJWS {
    /// Whether slashes in the header are escaped, as Apple does.
    fileprivate var escapesSlashes: Bool? { header?.contains("\\/") }
}

extension ClaimedPostback {
    /// A repair that gives one signed field another value, or removes it.
    func repair(_ cause: ExplanationCause, _ field: PostbackField, _ value: JSONValue?) -> Repair {
        let condition = value.map { "were \($0.summary)" } ?? "were absent"
        return Repair(cause, field.rawValue, "\(field.rawValue) \(condition)", with(field, value))
    }
}
