import Attribution

/// How many postbacks show each piece of evidence.
private typealias TierCounts = [(evidence: TierEvidence, count: Int64)]

extension StandardReportPlan {
    /// Versions with data tiers are those with conversion windows.
    private static let hasTiers = (dimension: ReportDimension.sequenceIndex, values: Set(["0", "1", "2"]))
    private static let noSource = [
        (dimension: ReportDimension.sourceApp, values: Set([""])),
        (dimension: ReportDimension.sourceDomain, values: Set([""])),
    ]
    private static let twoDigits = (
        dimension: ReportDimension.sourceIdentifier,
        values: Set((0...9).flatMap { tens in (0...9).map { "\(tens)\($0)" } })
    )

    /// The data tiers that Apple may have chosen, as bounds.
    static let tiers = StandardReportPlan(
        ["tiers", "evidence"],
        [
            Breakdown([], where: [hasTiers]), Breakdown([], where: [hasTiers] + noSource),
            Breakdown([], where: [hasTiers] + noSource + [twoDigits]),
        ]
    ) { figures in
        let sums = figures.breakdowns.map(\.sum)
        func counts(_ counts: [Counts]) -> TierCounts {
            let postbacks = TierEvidence.Postbacks(all: counts[0], sourceless: counts[1], short: counts[2])
            return TierEvidence.all.map { ($0, $0.count(postbacks)) }
        }
        let current = counts(sums.map(\.current))
        let previous = figures.request.previous.map { _ in counts(sums.map { $0.previous ?? Counts() }) }
        let all = figures.total[.postbacks]
        let older = all - current.reduce(0) { $0 + $1.count }
        let notes =
            older == 0
            ? []
            : ["\(older) of \(all) postbacks are of versions before 4.0, which have no tiers, and are left out."]
        return [tierSection(current, previous, notes), evidenceSection(current, previous, notes)]
    }

    private static func tierSection(
        _ current: TierCounts, _ previous: TierCounts?, _ notes: [String]
    ) -> ReportSection {
        func cells(_ tier: Int64, _ counts: TierCounts) -> [ReportCell] {
            func bounds(_ tiers: KeyPath<TierEvidence, ClosedRange<Int64>>) -> ClosedRange<Int64> {
                let certain = counts.reduce(0) { $1.evidence[keyPath: tiers] == tier...tier ? $0 + $1.count : $0 }
                let possible = counts.reduce(0) { $1.evidence[keyPath: tiers].contains(tier) ? $0 + $1.count : $0 }
                return certain...possible
            }
            let all = counts.reduce(0) { $0 + $1.count }
            return [
                .key(String(tier)), .counts(bounds(\.tiers)), .rates(bounds(\.tiers), of: all),
                .counts(bounds(\.signedTiers)), .count(all),
            ]
        }
        return ReportSection(
            name: "tiers", title: "Data tiers",
            meaning: "How many postbacks are certainly, and how many are possibly of each tier.",
            columns: [
                .names("tier", "Tier", .ours, "The data tier, from 0 for the smallest crowds to 3."),
                ReportColumn(
                    "postbacks", "Postbacks", .counts, .unsigned,
                    "At least the postbacks that can be of no other tier, at most those that can be of this one.",
                    isCompared: true),
                ReportColumn(
                    "share", "Share", .shares, .unsigned, "The share of these in all postbacks with a tier.",
                    denominator: "all-postbacks"),
                ReportColumn(
                    "signed-postbacks", "From signed fields", .counts, .signed,
                    "The same bounds, without the conversion value, which no one signs."),
                ReportColumn(
                    "all-postbacks", "All postbacks", .count, .signed, "All postbacks of versions with tiers.",
                    isSum: false),
            ],
            rows: (0...3).map { tier in
                ReportSectionRow(cells(tier, current), previous: previous.map { cells(tier, $0) })
            },
            notes: notes)
    }

    private static func evidenceSection(
        _ current: TierCounts, _ previous: TierCounts?, _ notes: [String]
    ) -> ReportSection {
        func row(_ keys: [ReportCell], _ bounds: [ReportCell], _ count: Int64, _ before: Int64?) -> ReportSectionRow {
            ReportSectionRow(keys + [.count(count)] + bounds, previous: before.map { keys + [.count($0)] + bounds })
        }
        let rows = current.indices.filter { current[$0].count + (previous?[$0].count ?? 0) > 0 }.map { index in
            let evidence = current[index].evidence
            return row(
                evidence.fields.map(ReportCell.key) + [.text(evidence.reason)],
                [.counts(evidence.tiers), .counts(evidence.signedTiers)], current[index].count,
                previous?[index].count)
        }
        let sum = current.reduce(0) { $0 + $1.count }
        return ReportSection(
            name: "evidence", title: "What shows the tier",
            meaning: "The fields of postbacks that limit which tier they can be of, and why.",
            columns: [
                .names("postback", "Postback", .signed, "The first postback, one of a later window, or of a lost ad."),
                .names("digits", "Digits", .signed, "How many digits the source identifier has."),
                .names("source", "Source", .signed, "Whether the source app or domain is named."),
                .names("value", "Value", .unsigned, "The kind of the conversion value."),
                ReportColumn("reason", "Reason", .text, .ours, "Why other tiers are ruled out."),
                ReportColumn(
                    "postbacks", "Postbacks", .count, .signed, "Postbacks with these fields.", isCompared: true),
                ReportColumn(
                    "tier", "Tier", .counts, .unsigned, "The lowest and the highest tier that is possible."),
                ReportColumn(
                    "signed-tier", "From signed fields", .counts, .signed,
                    "The same without the conversion value, which no one signs."),
            ],
            rows: rows,
            totals: row(
                Array(repeating: .key(""), count: 5), [.absent, .absent], sum,
                previous.map { $0.reduce(0) { $0 + $1.count } }),
            notes: notes)
    }
}

/// What a postback shows of the data tier that Apple chose for it, which it does not name.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
struct TierEvidence: Sendable {
    /// Postbacks of versions with tiers.
    struct Postbacks {
        let all: Counts
        /// Those without a source.
        let sourceless: Counts
        /// Those of these whose source identifier has two digits.
        let short: Counts

        /// Those without a source and with more digits.
        func long(_ count: (Counts) -> Int64) -> Int64 {
            count(sourceless) - count(short)
        }
    }

    /// Which postback it is, how many digits its source identifier has, its source and its conversion value.
    let fields: [String]
    /// The tiers that are possible, from all fields.
    let tiers: ClosedRange<Int64>
    /// The tiers that are possible from the fields that Apple signs: not from the conversion value.
    let signedTiers: ClosedRange<Int64>
    let reason: String
    let count: @Sendable (Postbacks) -> Int64

    private init(
        _ fields: String...,
        tiers: ClosedRange<Int64>,
        signedTiers: ClosedRange<Int64>? = nil,
        _ reason: String,
        count: @escaping @Sendable (Postbacks) -> Int64
    ) {
        self.fields = fields
        self.tiers = tiers
        self.signedTiers = signedTiers ?? tiers
        self.reason = reason
        self.count = count
    }

    static let all = [
        TierEvidence("first", "any", "present", "any", tiers: 3...3, "only tier 3 names the source") {
            let (all, sourceless) = ($0.all, $0.sourceless)
            return all[.installs] + all[.reengagements] + all[.losses]
                - sourceless[.installs] - sourceless[.reengagements] - sourceless[.losses]
        },
        TierEvidence(
            "first", "3 or 4", "absent", "fine", tiers: 2...2,
            "tier 3 would name the source; tiers 0 and 1 have two digits"
        ) { $0.long { $0.firsts(\.isFine) } },
        TierEvidence(
            "first", "2", "absent", "fine", tiers: 2...2, signedTiers: 0...2,
            "tier 3 would name the source; tiers 0 and 1 have no fine value"
        ) { $0.short.firsts(\.isFine) },
        TierEvidence(
            "first", "2", "absent", "coarse", tiers: 1...1, signedTiers: 0...2,
            "only tier 1 has a coarse value in a first postback"
        ) { $0.short.firsts(\.isCoarse) },
        // Apple does not send this.
        TierEvidence(
            "first", "3 or 4", "absent", "coarse", tiers: 2...2,
            "tiers 0 and 1 have two digits, so the coarse value, which no one signs, was changed"
        ) { $0.long { $0.firsts(\.isCoarse) } },
        TierEvidence(
            "first", "3 or 4", "absent", "none", tiers: 2...2,
            "tier 3 would name the source; tiers 0 and 1 have two digits"
        ) { $0.long { $0.firsts(\.isNone) } },
        TierEvidence(
            "first", "2", "absent", "none", tiers: 0...2,
            "tier 3 would name the source; a value may be withheld, or the app set none"
        ) { $0.short.firsts(\.isNone) },
        TierEvidence(
            "later window", "any", "any", "any", tiers: 1...3,
            "tier 0 has no later windows, and the others look the same there"
        ) { $0.all[.secondWindow] + $0.all[.thirdWindow] + $0.all[.laterReengagements] },
        TierEvidence(
            "lost", "3 or 4", "absent", "none", tiers: 2...3,
            "tiers 0 and 1 have two digits; lost ads never name the source"
        ) { $0.long { $0[.losses] } },
        TierEvidence(
            "lost", "2", "absent", "none", tiers: 0...3,
            "every tier may have two digits, and lost ads show nothing else"
        ) { $0.short[.losses] },
    ]
}

extension Counts {
    /// First postbacks of installs and re-engagements with some conversions.
    fileprivate func firsts(_ isCounted: (Conversion) -> Bool) -> Int64 {
        Conversion.allCases.reduce(0) {
            isCounted($1) ? $0 + self[.conversion($1)] + self[.reengagementConversion($1)] : $0
        }
    }
}

extension Conversion {
    var isFine: Bool {
        if case .fine = self { true } else { false }
    }

    /// Whether it is `low`, `medium` or `high`.
    var isCoarse: Bool {
        if case .coarse = self { true } else { false }
    }

    /// Whether it is neither: absent, null or invalid.
    var isNone: Bool {
        !isFine && !isCoarse
    }
}
