/// A question that a store is asked, in the words of `skan report` and in SQL.
struct ReportQuestion {
    let name: String
    /// The options, as `skan report` and, without their hyphens, the console have them.
    let options: [(name: String, value: String)]
    /// What rows are grouped by in SQL.
    let groups: String
    /// A condition in SQL.
    var condition = "true"
    /// The most seconds with the file in the cache.
    var bar = 1.0

    static let standard = ReportQuestion(
        name: "the standard report", options: [], groups: "network, app, campaign_id, source_identifier", bar: 0.5)

    static let others = [
        ReportQuestion(
            name: "30 days", options: [("from", "2025-07-01"), ("to", "2025-07-30")], groups: standard.groups,
            condition: "received_at >= TIMESTAMP '2025-07-01' AND received_at < TIMESTAMP '2025-07-31'"),
        ReportQuestion(name: "by day", options: [("by", "day")], groups: "date_trunc('day', received_at)"),
        ReportQuestion(
            name: "by day of New York", options: [("by", "day"), ("time-zone", "America/New_York")],
            groups: "date_trunc('day', timezone('America/New_York', timezone('UTC', received_at)))"),
        ReportQuestion(
            name: "by app and campaign id", options: [("by", "app,campaign-id")], groups: "app, campaign_id"),
        ReportQuestion(
            name: "by campaign id and source app", options: [("by", "campaign-id,source-app")],
            groups: "campaign_id, source_app"),
    ]

    /// The options of `skan report`.
    var arguments: [String] {
        options.flatMap { ["--\($0.name)", $0.value] } + ["--test", "--format", "csv", "--quiet"]
    }

    /// The path of the console.
    var path: String {
        let query = (options.map { "\($0.name)=\($0.value)" } + ["provenance=test", "format=csv"])
        return "/v1/report?" + query.joined(separator: "&")
    }
}
