/// From when a postback arrived to when the app was first launched, which is when Apple's timers begin.
///
/// A person may install an app up to ``installToLaunch`` days before; a device that has to repeat a delivery, or is off,
/// takes longer than the timers. Neither is in the bounds. The windows of AdAttributionKit that an app may configure are
/// those from the ad to the install, and change nothing here.
extension PostbackTiming {
    /// How long after the first launch a postback is sent, in days.
    ///
    /// A window ends early if the app locks it, at the earliest as it begins. The timer runs a whole day, and again after
    /// each greater value.
    package var sinceLaunch: ClosedRange<Int64> {
        self == .timer
            ? window.upperBound...(window.upperBound + Self.restarts + delay.upperBound)
            : (window.lowerBound + delay.lowerBound)...(window.upperBound + delay.upperBound)
    }

    /// The quarter hours in which the app can have been first launched, from the one in which its postback arrived.
    package func launch(arrivalQuarter: Int64) -> ClosedRange<Int64> {
        let day = Self.quartersADay
        return (arrivalQuarter - sinceLaunch.upperBound * day)...(arrivalQuarter - sinceLaunch.lowerBound * day)
    }

    /// An estimate of the same: the mean delay after a window that was not locked, or after a timer that ran once.
    package func estimatedLaunch(arrivalQuarter: Int64) -> Int64 {
        arrivalQuarter
            - (2 * window.upperBound + delay.lowerBound + delay.upperBound) * Self.quartersADay / 2
    }

    private static let quartersADay: Int64 = 96
}
