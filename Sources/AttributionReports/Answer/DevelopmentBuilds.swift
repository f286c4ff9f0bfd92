import Attribution
import AttributionStore

/// How many of the postbacks in a report are tests: those of ads in apps signed for development, source app 0.
///
/// Apple signs them like any other, so they count; without a word, a network's own tests would pass for installs.
struct DevelopmentBuilds: Sendable {
    /// `source-app-id` of an app that is signed for development and not from the App Store.
    static let sourceApp = "0"

    /// What is counted of them; nil if the time to count them was over.
    let counts: Counts?

    /// How many there are, and how to leave them out of a report that has such a filter; nil where there are none.
    func note(hasFilter: Bool) -> String? {
        let filter = hasFilter ? " The filter source-app!=\(Self.sourceApp) leaves them out." : ""
        guard let counts else {
            return "Postbacks of source app 0, an app signed for development, were not counted in time.\(filter)"
        }
        return counts[.postbacks] == 0
            ? nil
            : "Source app 0 is an app signed for development, so its postbacks are tests: \(counts[.postbacks]), of which "
                + "\(counts[.installs]) count as installs here.\(filter)"
    }
}

extension Reporter {
    /// Counts the development builds in an answer; nil for a request that tells source apps apart itself.
    func developmentBuilds(
        _ answer: LedgerAnswer, _ request: ReportRequest, within budget: AnswerBudget
    ) async throws -> DevelopmentBuilds? {
        guard !request.dimensions.contains(.sourceApp),
            !request.conditions.contains(where: { $0.dimension == .sourceApp })
        else {
            return nil
        }
        var builds = request
        builds.dimensions = []
        builds.conditions.append(.init(dimension: .sourceApp, values: [DevelopmentBuilds.sourceApp]))
        builds.asOf = answer.position
        do {
            return DevelopmentBuilds(
                counts: try await budget.spend { try await self.answer(builds.question(limits: $0)) }.totals)
        } catch LedgerQuestionError.deadlinePassed {
            // The report itself was counted in time.
            return DevelopmentBuilds(counts: nil)
        }
    }
}
