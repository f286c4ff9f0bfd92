package import Attribution
import StrictJSON

/// Apple's fields under the names that relays, exports and databases give them.
///
/// A name is read without regard to letter case and separators, and behind a prefix that all names of a postback share:
/// `skad_ad_network_id`, `body.adNetworkId` and `AD-NETWORK-ID` are `ad-network-id`. Where Apple's own words are
/// missing, short names count: `network_id`, `signature`. What is read in this way proves nothing until it verifies.
package struct FieldNames: Sendable {
    /// Two names of which either may be the field.
    package struct Ambiguity: Error, Hashable, Sendable, CustomStringConvertible {
        /// The field.
        package let field: PostbackField
        /// The first name, and another one.
        package let names: [String]
        /// Where they are among all names.
        let indices: [Int]

        /// Which names, and of which field.
        package var description: String {
            let both = names.map { $0.shortened(to: 40) }.joined(separator: " and ")
            return "\(both) may both be \(field.rawValue); which one counts would be a guess"
        }
    }

    /// The index of each field's name.
    package private(set) var indices: [PostbackField: Int] = [:]
    /// The fields that two names may be; of these the first is taken.
    package private(set) var ambiguities: [Ambiguity] = []

    /// Finds Apple's fields among names.
    ///
    /// - Parameters:
    ///   - names: The names of an object or of columns.
    ///   - prefersExact: Whether Apple's own spelling counts where another one occurs beside it.
    package init(_ names: [String], prefersExact: Bool = true) {
        // The names of an object that is none of ours cost no more than those of one that is.
        let folded = names.prefix(Self.maximumNames).map(Self.folded)
        let candidates = Self.prefixes(of: folded).map { prefix in
            let matches = Self.matches(names, folded, prefix, prefersExact)
            // Apple's words weigh more than short names, and no prefix more than one.
            let score = matches.values.reduce(0) { $0 + ($1.rank < Rank.short ? 4 : 3) } * 2 + (prefix.isEmpty ? 1 : 0)
            return (matches: matches, score: score)
        }
        var chosen: Matches = [:]
        if let best = candidates.max(by: { $0.score < $1.score }) {
            for candidate in candidates {
                if let (first, second, field) = Self.rival(best.matches, candidate.matches) {
                    let pair = [first, second].sorted()
                    ambiguities.append(Ambiguity(field: field, names: pair.map { names[$0] }, indices: pair))
                }
            }
            chosen = best.matches
        }
        // Beside names that share a prefix, others may have none; what else is called `app` is not meant, and envelopes
        // have a version of their own.
        let hasSignature = Self.signatures.contains { chosen[$0] != nil }
        for (field, match) in candidates.first?.matches ?? [:]
        where chosen[field] == nil && match.rank < Rank.short && field != .version
            && !(hasSignature && Self.signatures.contains(field))
        {
            chosen[field] = match
        }
        for (field, match) in chosen {
            indices[field] = match.index
            if let other = match.other {
                ambiguities.append(
                    Ambiguity(field: field, names: [names[match.index], names[other]], indices: [match.index, other]))
            }
        }
        ambiguities.sort { $0.indices.lexicographicallyPrecedes($1.indices) }
    }

    /// Whether one of the names is that of a signature.
    package var hasSignature: Bool {
        indices[.attributionSignature] != nil || indices[.jwsString] != nil
    }

    /// Whether the fields are enough for a postback; what else an envelope has can be called `signature`, too.
    package var arePlausible: Bool {
        indices[.jwsString] != nil
            || indices[.attributionSignature] != nil
                && indices.keys.count { PostbackField.signed(in: .v4_0).contains($0) || $0 == .campaignID } >= 3
    }

    /// Takes a name for a field that has none.
    mutating func take(_ index: Int, as field: PostbackField) {
        indices = indices.filter { $0.value != index }
        indices[field] = index
    }

    // MARK: Matching

    private static let maximumNames = 256

    /// How well a name fits, the best first.
    private enum Rank {
        static let exact = 0
        static let spelt = 1
        static let short = 2
    }

    private struct Match {
        var rank: Int
        var index: Int
        /// Another name that fits as well.
        var other: Int?
    }

    private typealias Matches = [PostbackField: Match]

    private static func matches(
        _ names: [String], _ folded: [String], _ prefix: String, _ prefersExact: Bool
    ) -> Matches {
        var matches: Matches = [:]
        for (index, name) in folded.enumerated() where name.hasPrefix(prefix) {
            guard let (field, isShort) = spellings[String(name.dropFirst(prefix.count))] else {
                continue
            }
            let isExact = prefersExact && prefix.isEmpty && names[index] == field.rawValue
            let rank = isShort ? Rank.short : isExact ? Rank.exact : Rank.spelt
            guard let match = matches[field], match.rank <= rank else {
                matches[field] = Match(rank: rank, index: index)
                continue
            }
            if match.rank == rank, match.other == nil {
                matches[field]?.other = index
            }
        }
        return matches
    }

    private static let signatures: [PostbackField] = [.attributionSignature, .jwsString]

    /// The field that shows that two sets of names are those of two postbacks, however many fields each has.
    private static func rival(_ one: Matches, _ other: Matches) -> (Int, Int, field: PostbackField)? {
        for field in signatures {
            if let first = one[field], let second = other[field], first.index != second.index,
                first.rank == second.rank || max(first.rank, second.rank) < Rank.short,
                field == .jwsString || min(one.count, other.count) >= 3
            {
                return (first.index, second.index, field)
            }
        }
        return nil
    }

    /// What may be before the names: what is before one of those that every postback has.
    private static func prefixes(of names: [String]) -> [String] {
        var prefixes = [""]
        for name in names {
            for anchor in anchors where name.count > anchor.count && name.hasSuffix(anchor) && prefixes.count < 16 {
                let prefix = String(name.dropLast(anchor.count))
                if !prefixes.contains(prefix) {
                    prefixes.append(prefix)
                }
            }
        }
        return prefixes
    }

    /// The fields with Apple's names, without others that had these, and those that had another name.
    func applied(
        to fields: [JSONField], where isMeant: (PostbackField) -> Bool = { _ in true }
    ) -> (fields: [JSONField], renamed: [(name: String, field: PostbackField)]) {
        let renamed = indices.filter { isMeant($0.key) && fields[$0.value].name != $0.key.rawValue }
            .sorted { $0.value < $1.value }
        var copy = fields
        for (field, index) in renamed {
            copy[index] = JSONField(name: field.rawValue, value: fields[index].value)
        }
        // What has one of Apple's names and is not the field, as the version of an envelope, would be a second one.
        let (names, known) = (Set(renamed.map(\.key.rawValue)), Set(renamed.map(\.value)))
        let kept = fields.indices.filter { known.contains($0) || !names.contains(fields[$0].name) }
        return (kept.map { copy[$0] }, renamed.map { (fields[$0.value].name, $0.key) })
    }

    private static let anchors = [
        "attributionsignature", "jwsstring", "signature", "jws", "transactionid", "adnetworkid", "networkid",
    ]

    /// A name without regard to letter case and separators; empty for one that no field can have.
    static func folded(_ name: String) -> String {
        guard name.utf8.count <= 96 else {
            return ""
        }
        return String(
            decoding: name.utf8.compactMap { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
                default: nil
                }
            }, as: UTF8.self)
    }

    // MARK: The table

    private static let spellings: [String: (field: PostbackField, isShort: Bool)] = {
        var spellings: [String: (field: PostbackField, isShort: Bool)] = [:]
        for (field, names) in shortNames {
            for name in names {
                spellings[name] = (field, true)
            }
        }
        for field in PostbackField.allCases {
            spellings[folded(field.rawValue)] = (field, false)
        }
        return spellings
    }()

    private static let shortNames: [PostbackField: [String]] = [
        .version: ["ver", "v", "skversion", "skanversion", "skadversion", "skadnetworkversion"],
        .adNetworkID: [
            "network", "networkid", "adnetwork", "skadnetworkid", "skadnetwork", "skanetworkid", "skannetworkid",
        ],
        .campaignID: [
            "campaign", "cid", "skcampaignid", "skadcampaignid", "skancampaignid", "skadnetworkcampaignid",
        ],
        .sourceIdentifier: [
            "sourceid", "source", "srcid", "sourceident", "hierarchicalsourceid", "hierarchicalsourceidentifier",
        ],
        .appID: [
            "app", "appstoreid", "itunesid", "itunesitemid", "itemid", "advertisedapp", "advertisedappid",
            "targetappid", "appleappid", "appleid", "adamid",
        ],
        .transactionID: ["transaction", "transid", "txid", "txnid", "tid"],
        .redownload: ["redownloaded", "isredownload", "isredownloaded"],
        .sourceAppID: [
            "sourceapp", "srcappid", "srcapp", "sourceappstoreid", "publisherapp", "publisherappid",
            "publisheritunesid",
        ],
        .sourceDomain: ["domain", "srcdomain", "webdomain", "publisherdomain"],
        .fidelityType: ["fidelity"],
        .didWin: ["win", "won", "iswin", "iswon", "winner", "iswinner", "winning", "iswinning"],
        .sequenceIndex: [
            "sequenceindex", "sequence", "seq", "seqindex", "postbacksequence", "postbackindex", "postbackseqindex",
            "index",
        ],
        .conversionValue: [
            "cv", "conversion", "convvalue", "finevalue", "finecv", "fineconversionvalue", "finegrainedconversionvalue",
        ],
        .coarseConversionValue: [
            "coarse", "coarsecv", "coarsevalue", "coarseconversion", "coarseconvvalue", "coarsegrainedconversionvalue",
        ],
        .countryCode: ["country"],
        .attributionSignature: ["signature", "sig", "attributionsig", "attrsignature", "applesignature"],
        .jwsString: ["jws", "jwt", "compactjws", "jwscompact", "signedpostback"],
        .adInteractionType: ["interactiontype"],
    ]
}
