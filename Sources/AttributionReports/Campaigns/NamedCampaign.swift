package import Attribution

/// A campaign with a name: its ids, and the days on which its ads run.
package struct NamedCampaign: Hashable, Sendable {
    package let name: String
    package let network: String
    package let app: AppStoreItemID
    /// The campaign id up to 3.0; nil for none.
    package let campaignID: CampaignID?
    /// The source identifier from 4.0 on; two or three digits name a group, and nil is none.
    package let sourceIdentifier: SourceIdentifier?
    /// The first day (UTC) on which its ads run.
    package let from: CalendarDay
    /// The last one; nil for no end.
    package let through: CalendarDay?

    package init(
        name: String,
        network: AdNetworkID,
        app: AppStoreItemID,
        campaignID: CampaignID?,
        sourceIdentifier: SourceIdentifier?,
        from: CalendarDay,
        through: CalendarDay?
    ) {
        self.name = name
        self.network = network.registered
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
        self.from = from
        self.through = through
    }

    /// For how many days after the last ad postbacks with its campaign id may arrive.
    package static let daysAfterCampaignID = PostbackTiming.timer.sinceAd
    /// For how many days after the last ad postbacks with its source identifier may arrive.
    package static let daysAfterSourceIdentifier = PostbackTiming.thirdWindow.sinceAd

    /// The days on which its ads run, such as `2026-10-01 to 2026-12-31`.
    package var days: String {
        through.map { "\(from) to \($0)" } ?? "from \(from) on"
    }

    /// The last day on which a postback may arrive, some days after the last ad; nil for no end.
    package func lastArrival(_ late: Int64) -> CalendarDay? {
        through.map { $0.advanced(by: late + 1) }.flatMap { $0.next < Self.yearTenThousand ? $0 : nil }
    }

    private static let yearTenThousand = CalendarDay(number: CivilDate.days(year: 10_000, month: 1, day: 1))

    /// The last day on which a postback with any of its ids may arrive; nil for no end.
    package var lastArrival: CalendarDay? {
        lastArrival(campaignID == nil ? Self.daysAfterSourceIdentifier : Self.daysAfterCampaignID)
    }

    /// Where a campaign is between its first ad and its last postback.
    package enum State: String, Sendable {
        case planned, running
        /// Its ads have ended, and postbacks may still arrive.
        case cooling
        /// No postback arrives any more, so that its ids are free.
        case over
    }

    package func state(on day: CalendarDay) -> State {
        if day < from {
            return .planned
        }
        if through.map({ day <= $0 }) ?? true {
            return .running
        }
        return lastArrival.map { day <= $0 } ?? true ? .cooling : .over
    }

    /// Whether postbacks of its ads may arrive on some of these days.
    func mayArrive(on days: ClosedRange<CalendarDay>, _ late: Int64) -> Bool {
        from <= days.upperBound && (lastArrival(late).map { $0 >= days.lowerBound } ?? true)
    }

    /// Whether postbacks of two campaigns with one id could be taken for each other.
    func isTooClose(to other: NamedCampaign, _ late: Int64) -> Bool {
        let (first, second) = from <= other.from ? (self, other) : (other, self)
        return first.lastArrival(late).map { second.from <= $0 } ?? true
    }

    /// Whether it belongs to the same app of the same network, which have ids of their own.
    func sharesIDs(with other: NamedCampaign) -> Bool {
        network == other.network && app == other.app
    }
}
