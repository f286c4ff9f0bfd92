package import StrictJSON

/// Why an extension of a bid request gets no signature.
package struct BidRefusal: CodedError, Hashable, Sendable {
    package enum Extension: String, Hashable, Sendable {
        /// `imp.ext.skadn`.
        case skadn
        /// `imp.ext.adattributionkit`, a proposal.
        case adAttributionKit = "adattributionkit"

        /// OpenRTB's loss reason: 214, invalid SKAdNetwork; 216, invalid AdAttributionKit (proposed).
        ///
        /// - SeeAlso: [SKAdNetwork in
        ///   OpenRTB](https://github.com/InteractiveAdvertisingBureau/openrtb/blob/main/extensions/community_extensions/skadnetwork.md)
        package var lossReason: Int64 {
            switch self {
            case .skadn: 214
            case .adAttributionKit: 216
            }
        }
    }

    /// The reason, as a stable code for programs.
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// A field of the extension is missing or of the wrong type.
        case badField = "bad-field"
        /// None of our networks is in the source app's list.
        case noCommonNetwork = "no-common-network"
        /// No version is common to the request, the keys and the advertised item.
        case noCommonVersion = "no-common-version"
    }

    /// The extension that is refused.
    package let `extension`: Extension
    package let reason: Reason
    /// What was found and what was expected.
    package let message: String

    init(_ extension: Extension, _ reason: Reason, _ detail: String) {
        self.extension = `extension`
        self.reason = reason
        message = detail
    }

    init(_ extension: Extension, _ problem: FieldProblem) {
        self.init(`extension`, .badField, problem.description)
    }

    /// The stable code of the reason.
    package var code: ErrorCode {
        switch reason {
        case .badField: .badField
        case .noCommonNetwork: .noCommonNetwork
        case .noCommonVersion: .noCommonVersion
        }
    }

    /// The refusal with its loss reason, as an element of `refusals`.
    package var json: JSONText {
        .object([
            "extension": .string(`extension`.rawValue), "lossreason": .integer(`extension`.lossReason),
            "reason": .string(reason.rawValue), "detail": .string(message),
        ])
    }
}
