package import CodedErrors
package import StrictJSON

/// The answer to a ``BidRequest``.
package enum BidAnswer: Sendable {
    /// The extensions for one imp.
    case one(SignedExtensions)
    /// The extensions for each bid of a whole request, in its order, with the id of its imp.
    case whole([(impID: String, extensions: SignedExtensions)])

    private var all: [SignedExtensions] {
        switch self {
        case .one(let extensions): [extensions]
        case .whole(let bids): bids.map(\.extensions)
        }
    }

    /// The first refusal if nothing was signed, otherwise nil.
    package var refusal: (any CodedError)? {
        all.contains { $0.refusal == nil } ? nil : all.lazy.compactMap(\.refusal).first
    }

    /// Whether something was signed, and something else was refused.
    package var isPartial: Bool {
        refusal == nil && all.contains { !$0.refusals.isEmpty }
    }

    /// The extensions that were refused in some imp with their reasons, each pair once, as a structured field (RFC 8941):
    /// `skadn;reason=no-common-version, adattributionkit;reason=bad-field`; nil if there are none.
    package var refusedExtensions: String? {
        var items: [String] = []
        for refusal in all.lazy.flatMap(\.refusals) {
            let item = "\(refusal.extension.rawValue);reason=\(refusal.reason.rawValue)"
            if !items.contains(item) {
                items.append(item)
            }
        }
        return items.isEmpty ? nil : items.joined(separator: ", ")
    }

    /// Writes what to put into the bids, and what was refused; the first refusal leads if nothing was signed.
    package func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .one(let extensions): extensions.writeMembers(to: &json)
        case .whole(let bids):
            if let refusal {
                json.members(refusal.members())
            } else {
                json.member("status", "signed")
            }
            json.name("bids")
            json.array { json in
                for bid in bids {
                    json.object { json in
                        json.member("impid", bid.impID)
                        bid.extensions.writeMembers(to: &json)
                    }
                }
            }
        }
    }
}
