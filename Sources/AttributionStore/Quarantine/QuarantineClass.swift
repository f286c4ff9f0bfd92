package import Attribution

/// A class of quarantined deliveries; each has its own budget, so that none crowds out another.
package enum QuarantineClass: String, CaseIterable, Hashable, Sendable {
    /// Bodies that cannot be postbacks, because fields are missing or invalid.
    case garbage
    /// Bodies whose signature does not verify.
    case forged
    /// Copies of a recorded postback that differ from it in unsigned fields.
    case conflict
    /// Postbacks with an unknown version or key, to be judged again after an upgrade; acknowledged only if kept.
    case future

    /// The class of a rejected body.
    package init(_ rejection: PostbackRejection, body: [UInt8]) {
        self =
            switch rejection {
            case .notJSON, .malformed: .garbage
            case .invalidSignature: .forged
            case .unknownVersion, .unknownKey: FuturePostback.isPlausible(rejection, body: body) ? .future : .garbage
            }
    }
}
