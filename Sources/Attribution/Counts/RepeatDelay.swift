/// Roughly how long after the first copy a repeat of a postback arrived.
///
/// Devices repeat a postback that was not answered with 200 for up to nine days.
package enum RepeatDelay: Int, CaseIterable, Hashable, Sendable {
    /// Within a minute, or earlier than the first copy because the clock changed.
    case minute
    /// Within an hour.
    case hour
    /// Within a day.
    case day
    /// Within nine days.
    case nineDays
    /// Later, and so not sent by a device.
    case later

    /// The delay between two receipts.
    ///
    /// - Parameter milliseconds: The later time minus the earlier one.
    package init(milliseconds: Int64) {
        self =
            switch milliseconds {
            case ...60_000: .minute
            case ...3_600_000: .hour
            case ...86_400_000: .day
            case ...777_600_000: .nineDays
            default: .later
            }
    }

    /// The name in reports.
    package var name: String {
        switch self {
        case .minute: "within-a-minute"
        case .hour: "within-an-hour"
        case .day: "within-a-day"
        case .nineDays: "within-nine-days"
        case .later: "later"
        }
    }
}
