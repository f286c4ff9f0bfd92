package import Attribution

/// A verdict in one word; bytes that are not JSON are malformed, too.
package enum VerdictWord: String, CaseIterable, Hashable, Sendable {
    case valid, invalid, malformed
    case unknownVersion = "unknown-version"
    case unknownKey = "unknown-key"
    case undecided

    /// The verdict of a judgement.
    package init(_ judgement: Judgement) {
        self =
            switch judgement {
            case .verified: .valid
            case .rejected(.invalidSignature, _): .invalid
            case .rejected(.unknownVersion, _): .unknownVersion
            case .rejected(.unknownKey, _): .unknownKey
            case .rejected(.malformed, _), .rejected(.notJSON, _): .malformed
            case .undecided: .undecided
            }
    }
}
