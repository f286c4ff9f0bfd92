import CodedErrors
package import StrictJSON

/// The members of `bid.ext` for one imp, and a refusal for each extension that was not signed.
package struct SignedExtensions: Sendable {
    private let extensions: [(name: String, value: JSONText)]
    /// Why extensions of the imp were not signed.
    package let refusals: [BidRefusal]

    /// Collects what was signed and refused.
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
    package var refusal: BidRefusal? {
        extensions.isEmpty ? refusals.first : nil
    }

    /// The names of the extensions that are only proposals to OpenRTB.
    private var proposals: [(String, JSONText)] {
        let names = extensions.map(\.name).filter { $0 == BidRefusal.Extension.adAttributionKit.rawValue }
        return names.isEmpty ? [] : [("proposals", .array(names.map(JSONText.string)))]
    }

    /// `ext` to put into the bid, and `refusals`; or the first refusal if nothing was signed.
    var members: [(String, JSONText)] {
        let reasons = ("refusals", JSONText.array(refusals.map(\.json)))
        guard let refusal else {
            let answer: [(String, JSONText)] = [
                ("status", .string("signed")), ("ext", .object(extensions.map { ($0.name, $0.value) })),
            ]
            return answer + proposals + (refusals.isEmpty ? [] : [reasons])
        }
        return refusal.members(adding: [("lossreason", .integer(refusal.extension.lossReason)), reasons])
    }

    /// The members as an object.
    package var json: JSONText {
        .object(members)
    }
}
