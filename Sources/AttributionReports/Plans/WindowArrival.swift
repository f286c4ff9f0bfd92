import Attribution

/// When the postback of a conversion window can arrive, by Apple's rules; in hours.
///
/// A window may be locked at any time, and then ends early. Repeats after a failed delivery, over at most nine days,
/// are not included.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
enum WindowArrival: Int, CaseIterable {
    case first, second, third

    private var timing: PostbackTiming {
        switch self {
        case .first: .firstWindow
        case .second: .secondWindow
        case .third: .thirdWindow
        }
    }

    /// When it arrives, after the first launch.
    private var sinceLaunch: ClosedRange<Int64> {
        let (window, delay) = (timing.window, timing.delay)
        return (window.lowerBound + delay.lowerBound) * 24...(window.upperBound + delay.upperBound) * 24
    }

    /// When it arrives, after the first postback of the same install; before it if that is negative.
    var sinceFirst: ClosedRange<Int64> {
        guard self != .first else {
            return 0...0
        }
        let first = Self.first.sinceLaunch
        return (sinceLaunch.lowerBound - first.upperBound)...(sinceLaunch.upperBound - first.lowerBound)
    }

    /// How many of some installs can have had the postback of the window by a moment, in Unix milliseconds.
    ///
    /// From those whose last chance has passed to those whose first chance has come.
    func arrivable(of cohort: Int64, received: Range<Int64>, at moment: Int64) -> ClosedRange<Int64> {
        guard self != .first else {
            return cohort...cohort
        }
        let hour: Int64 = 3_600_000
        let canHave = received.lowerBound + sinceFirst.lowerBound * hour <= moment
        let mustHave = received.upperBound + sinceFirst.upperBound * hour <= moment
        return (mustHave ? cohort : 0)...(canHave ? cohort : 0)
    }
}

/// What was received of each window, and what can have been.
struct WindowFigures {
    /// The counts of all days.
    let total: Counts
    private let days: [CalendarDay: Counts]
    private let figures: StandardReportFigures
    /// Until when postbacks were counted, in Unix milliseconds.
    private let moment: Int64

    /// Takes the days of the period or of the previous one.
    init(_ figures: StandardReportFigures, isPrevious: Bool) {
        self.figures = figures
        let request = figures.request
        days = figures.daysOfWindows.filter { day, _ in
            isPrevious ? request.previous?.contains(day) == true : request.contains(day)
        }
        total = StandardReportFigures.sum(days)
        // Not the time of the request, so that the same position gives the same figures. Simulated days may be later.
        let last = figures.days.keys.max()?.start(in: figures.request.selection.timeZone)
        moment = max(figures.recordedAtMilliseconds ?? .min, last ?? .min)
    }

    /// How many postbacks of a window were received.
    func count(_ arrival: WindowArrival) -> Int64 {
        switch arrival {
        case .first: total[.installs]
        case .second: total[.secondWindow]
        case .third: total[.thirdWindow]
        }
    }

    /// How many installs of a day can have had the postback of a window.
    func arrivable(_ arrival: WindowArrival, _ day: CalendarDay) -> ClosedRange<Int64> {
        let zone = figures.request.selection.timeZone
        return arrival.arrivable(
            of: days[day]?[.installs] ?? 0, received: day.start(in: zone)..<day.next.start(in: zone), at: moment)
    }

    /// How many installs of all days can have had the postback of a window.
    func arrivable(_ arrival: WindowArrival) -> ClosedRange<Int64> {
        days.keys.reduce(0...0) { sum, day in
            let bounds = arrivable(arrival, day)
            return (sum.lowerBound + bounds.lowerBound)...(sum.upperBound + bounds.upperBound)
        }
    }
}
