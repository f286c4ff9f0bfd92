import Attribution

extension StandardReportPlan {
    /// New installs and redownloads.
    static let redownloads = StandardReportPlan(["days", "apps"], [Breakdown([.app])]) { figures in
        let kinds: [CountsFigure] = [
            .installs.compared, .newInstalls, .redownloads.compared, .redownloadKnown.compared,
            .redownloadRate.compared,
            .redownloadUnproven,
        ]
        let unproven = figures.total(figures.days)[.unprovenRedownloads]
        let notes =
            unproven == 0
            ? [] : ["Version 1.0 does not sign whether an install is a redownload: \(unproven) of these are its."]
        return [
            CountsTable([.day], kinds).daySection(
                "days", "Redownloads by day", "New installs and redownloads by day of receipt.", figures, figures.days,
                notes: notes),
            CountsTable([.app], kinds).section(
                "apps", "Redownloads by app", "New installs and redownloads of each app.", figures.breakdowns[0],
                top: figures.request.selection.top, notes: notes),
        ]
    }
}
