package import CodedErrors
package import StrictJSON

/// What a bidder gets: the members of `bid.ext`, and why there is none for an extension of the request.
package struct BidAnswer: Sendable {
    private let extensions: [(name: String, value: JSONText)]
    private let refusals: [BidRefusal]

    /// Joins what was signed and what was refused.
    ///
    /// - Parameters:
    ///   - skadn: `bid.ext.skadn`, or why there is none; nil when it was not asked for.
    ///   - adAttributionKit: `bid.ext.adattributionkit`, alike.
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

    /// Why nothing was signed: the first refusal; nil when something was.
    package var refusal: (any CodedError)? {
        extensions.isEmpty ? refusals.first : nil
    }

    /// Names what follows a proposal to OpenRTB, not an agreed extension, for a bidder to know what it sends.
    private var proposals: [(String, JSONText)] {
        let names = extensions.map(\.name).filter { $0 == BidRefusal.Extension.adAttributionKit.rawValue }
        return names.isEmpty ? [] : [("proposals", .array(names.map(JSONText.string)))]
    }

    /// `ext` to paste into the bid, and `refusals`; the first refusal's reason where nothing was signed.
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
