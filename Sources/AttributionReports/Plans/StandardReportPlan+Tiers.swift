import Attribution

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
        func counts(_ counts: [Counts]) -> [(evidence: TierEvidence, count: Int64)] {
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
        _ current: [(evidence: TierEvidence, count: Int64)],
        _ previous: [(evidence: TierEvidence, count: Int64)]?,
        _ notes: [String]
    ) -> ReportSection {
        func cells(_ tier: Int64, _ counts: [(evidence: TierEvidence, count: Int64)]) -> [ReportCell] {
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
        _ current: [(evidence: TierEvidence, count: Int64)],
        _ previous: [(evidence: TierEvidence, count: Int64)]?,
        _ notes: [String]
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
