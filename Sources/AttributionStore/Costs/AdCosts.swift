package import Attribution

/// What is known of the ads of some days besides their postbacks: how many were signed, and what they cost.
///
/// What has no entry is not known, which is not 0.
package struct AdCosts: Hashable, Sendable {
    /// An app that a network advertises.
    package struct App: Hashable, Sendable {
        /// The network, as registered.
        package let network: String
        /// The advertised app.
        package let app: AppStoreItemID

        /// Names an app.
        package init(network: String, app: AppStoreItemID) {
            self.network = network
            self.app = app
        }
    }

    /// What a store can have counted for a campaign and a day, of 100,000 of the largest lines; anything else is damage,
    /// and sums of it might overflow.
    package static let plausibleCounts = 1...SignedImpressionCount.mostSigned * 100_000
    /// What spend can be, in millionths.
    package static let plausibleMicros: ClosedRange<Int64> = 0...1_000_000_000_000_000_000

    /// How many ads were signed for each campaign.
    package var signed: [SignedCampaign: Int64] = [:]
    /// The days on which ads of each app were signed.
    package var signedDays: [App: Set<CalendarDay>] = [:]
    /// What campaigns cost, in each currency.
    package var spend: [SpendCampaign: [CurrencyCode: Money]] = [:]
    /// The days with spend for each app.
    package var spendDays: [App: Set<CalendarDay>] = [:]
    /// Whether some of it cannot be read.
    package var isIncomplete = false

    /// Without anything known.
    package init() {}
}
