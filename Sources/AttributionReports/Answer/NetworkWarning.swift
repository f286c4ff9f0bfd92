import Attribution
import AttributionStore

/// That a report sums several networks of a store whose server was not told which of them are the operator's.
///
/// Any developer can direct copies of an app's postbacks to a server, and Apple's published samples are signed like
/// real ones: without `--network` all of them count.
package struct NetworkWarning: Hashable, Sendable {
    /// Nil if the time to count them was over.
    let networkCount: Int?

    /// What is wrong, and what to do.
    package var text: String {
        "postbacks of \(networkCount.map { "\($0)" } ?? "several") networks count as ours, for the server has no --network; if some are not, "
            + "such as Apple's published samples, start it with --network ID, which counts new ones separately"
    }
}

extension Reporter {
    /// Looks how many networks an answer counts, if its store was not told which are the operator's; nil for one, for a
    /// request that names networks itself, and for other traffic, which is no install of ours in any case.
    func networkWarning(
        _ answer: LedgerAnswer, _ request: ReportRequest, within budget: AnswerBudget
    ) async throws -> NetworkWarning? {
        guard answer.countsEveryNetwork, request.traffic == .apple, !request.isLimitedToApps,
            !request.conditions.contains(where: { $0.dimension == .network && !$0.isExcluded })
        else {
            return nil
        }
        var networks = request
        networks.dimensions = [.network]
        networks.asOf = answer.position
        do {
            let count = try await budget.spend { try await self.answer(networks.question(limits: $0)) }.rows.count
            return count > 1 ? NetworkWarning(networkCount: count) : nil
        } catch LedgerQuestionError.deadlinePassed {
            // The report itself was counted in time.
            return NetworkWarning(networkCount: nil)
        }
    }
}
