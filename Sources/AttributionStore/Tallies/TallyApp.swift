import Attribution

/// Whose tallies stand together: those of one advertised app on one day.
struct TallyApp: Hashable, Sendable {
    /// Days since 1970-01-01 UTC.
    let day: Int64
    let traffic: Traffic
    let framework: String
    let adNetworkID: String
    let appID: String
}
