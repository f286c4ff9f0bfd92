package import Attribution

/// Kinds of deliveries that are kept without being counted; each has a budget of its own, so that none crowds out
/// another.
package enum QuarantineClass: String, CaseIterable, Hashable, Sendable {
    /// Bodies that cannot be postbacks: fields are missing or wrong.
    case garbage
    /// Bodies whose signature does not verify.
    case forged
    /// Copies of a recorded postback that say something else in fields nobody signs.
    case conflict
    /// Postbacks of a version or key not known yet, to be judged again after an upgrade; never acknowledged without
    /// being kept.
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
