import CSystemClock
import Foundation

/// The clocks by which postbacks are dated: this machine's, and the one that a server's answer shows.
enum ClockCheck {
    private static let subject = "clock"
    private static let ntp = "postbacks are counted by when they are received"

    /// From how many seconds on clocks differ: an answer's `Date` has whole seconds, and is some old.
    private static let noticeable = 10
    private static let wrong = 300

    /// Asks the kernel whether something keeps the clock right; nil where that must not be asked, as in some containers.
    static func machine() -> Finding? {
        // Without modes nothing is changed, and no privilege is needed.
        var state = timex()
        let result = adjtimex(&state)
        guard result >= 0 else {
            return nil
        }
        guard result == TIME_ERROR || state.status & STA_UNSYNC != 0 else {
            return .ok(subject, "this machine's is synchronized")
        }
        return .warning(
            subject, "nothing keeps this machine's clock right: the kernel says it is not synchronized",
            cure: "run chrony or systemd-timesyncd, here or on the host: \(ntp)")
    }

    /// Compares the `Date` of an answer with this machine's clock.
    ///
    /// - Parameters:
    ///   - date: The `Date`, which a proxy adds.
    ///   - now: The time when the answer came.
    /// - Returns: What was found.
    static func answer(_ date: Date, at now: Date) -> Finding {
        let seconds = Int(date.timeIntervalSince(now).rounded())
        guard abs(seconds) >= noticeable else {
            return .ok(subject, "the answer's Date agrees with this machine's clock")
        }
        let text =
            "the answer's Date is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's clock"
        let cure = "set both right with NTP, the server's first: \(ntp)"
        return abs(seconds) < wrong ? .warning(subject, text, cure: cure) : .problem(subject, text, cure: cure)
    }
}
