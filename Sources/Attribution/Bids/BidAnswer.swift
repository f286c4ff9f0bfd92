package import CodedErrors
package import StrictJSON

/// The answer to a bidder: the members of `bid.ext`, and a refusal for each extension that was not signed.
package struct BidAnswer: Sendable {
    private let extensions: [(name: String, value: JSONText)]
    private let refusals: [BidRefusal]

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - skadn: `bid.ext.skadn`, or why there is none; nil if the request does not have the extension.
    ///   - adAttributionKit: The same for `bid.ext.adattributionkit`.
    package init(skadn: Result<JSONText, BidRefusal>?, adAttributionKit: Result<JSONText, BidRefusal>?) {
        var extensions: [(String, JSONText)] = []
        var refusals: [BidRefusal] = []
        let all: [(BidRefusal.Extension, Result<JSONText, BidRefusal>?)] = [
            (.skadn, skadn), (.adAttributionKit, adAttributionKit),
        ]
        for (name, result) in all {
            switch result {
            case .success(let value): extensions.append((name.rawValue, value))
            case .failure(let refusal): refusals.append(refusal)
            case nil: break
            }
        }
        self.extensions = extensions
        self.refusals = refusals
    }

    /// The first refusal if nothing was signed, otherwise nil.
    package var refusal: (any CodedError)? {
        extensions.isEmpty ? refusals.first : nil
    }

    /// The names of the extensions in the answer that are only proposals to OpenRTB.
    private var proposals: [(String, JSONText)] {
        let names = extensions.map(\.name).filter { $0 == BidRefusal.Extension.adAttributionKit.rawValue }
        return names.isEmpty ? [] : [("proposals", .array(names.map(JSONText.string)))]
    }

    /// `ext` to paste into the bid, and `refusals`; or the first refusal if nothing was signed.
    package var json: JSONText {
        let reasons = ("refusals", JSONText.array(refusals.map(\.json)))
        guard extensions.isEmpty, let first = refusals.first else {
            let answer: [(String, JSONText)] = [
                ("status", .string("signed")), ("ext", .object(extensions.map { ($0.name, $0.value) })),
            ]
            return .object(answer + proposals + (refusals.isEmpty ? [] : [reasons]))
        }
        return first.json(adding: [("lossreason", .integer(first.extension.lossReason)), reasons])
    }
}
