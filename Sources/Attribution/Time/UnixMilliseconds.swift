package import FoundationEssentials

/// A time in milliseconds since 1970-01-01 00:00 UTC without leap seconds, as Apple signs and sends it.
package struct UnixMilliseconds: RawRepresentable, Hashable, Comparable, Sendable {
    /// The milliseconds.
    package let rawValue: Int64

    /// Makes a time from milliseconds since 1970.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The time of a date, rounded toward 1970.
    package init(_ date: Date) {
        rawValue = Int64(date.timeIntervalSince1970 * 1000)
    }

    /// Orders times.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The time some milliseconds later; earlier for a negative number.
    package func advanced(by milliseconds: Int64) -> UnixMilliseconds {
        UnixMilliseconds(rawValue: rawValue + milliseconds)
    }
}
