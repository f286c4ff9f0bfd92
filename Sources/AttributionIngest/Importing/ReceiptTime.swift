import Attribution

/// A time of receipt as logs and exports write it.
///
/// Read are Unix times in seconds (with a fraction or without), milliseconds, microseconds or nanoseconds;
/// `2026-11-01T12:30:00.125Z`, with a space for the T, with an offset, or without one as UTC; a day for its beginning in
/// UTC; and `01/Nov/2026:12:30:00 +0000` of access logs.
package enum ReceiptTime {
    /// From 2018, when postbacks began: an earlier time is a number of something else.
    package static let earliest: Int64 = 1_514_764_800_000

    /// Reads a time.
    ///
    /// - Parameter text: The text, without quotes around it.
    /// - Returns: Unix milliseconds; nil for a text that is no time.
    package static func milliseconds(_ text: some Collection<UInt8>) -> Int64? {
        var scanner = TimeScanner(text)
        let first = scanner.digits()
        if scanner.take("/") {
            return scanner.logTime(day: first)
        }
        if scanner.take("-") {
            return scanner.calendarTime(year: first)
        }
        return scanner.unixTime(first)
    }
}

/// Reads the parts of a time one after the other.
private struct TimeScanner {
    private var bytes: [UInt8]
    private var offset = 0

    init(_ text: some Collection<UInt8>) {
        bytes = Array(text)
        while bytes.last == UInt8(ascii: " ") {
            bytes.removeLast()
        }
        skipSpaces()
    }

    private mutating func skipSpaces() {
        while offset < bytes.count, bytes[offset] == UInt8(ascii: " ") {
            offset += 1
        }
    }

    private var isAtEnd: Bool {
        offset == bytes.count
    }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: sign) else {
            return false
        }
        offset += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard offset + count <= bytes.count,
            word.withUTF8Buffer({ $0.elementsEqual(bytes[offset..<(offset + count)]) })
        else {
            return false
        }
        offset += count
        return true
    }

    /// A number of up to 19 digits, and how many it has.
    mutating func digits(atMost limit: Int = 19) -> (value: Int64, count: Int)? {
        var value: Int64 = 0
        var count = 0
        while offset < bytes.count, count < limit, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int64(digit))
            guard !overflows, !carries else {
                return nil
            }
            value = sum
            count += 1
            offset += 1
        }
        return count > 0 ? (value, count) : nil
    }

    /// A number of exactly so many digits.
    private mutating func number(_ count: Int) -> Int64? {
        guard let digits = digits(atMost: count), digits.count == count else {
            return nil
        }
        return digits.value
    }

    /// The fraction of a second in milliseconds, cut off; 0 where there is none, nil for a point without digits.
    private mutating func fraction() -> Int64? {
        guard take(".") || take(",") else {
            return 0
        }
        guard let digits = digits(atMost: 9) else {
            return nil
        }
        var (value, count) = digits
        while count < 3 {
            value *= 10
            count += 1
        }
        while count > 3 {
            value /= 10
            count -= 1
        }
        return value
    }

    // MARK: The forms

    mutating func unixTime(_ first: (value: Int64, count: Int)?) -> Int64? {
        guard let number = first?.value, let milliseconds = fraction(), isAtEnd else {
            return nil
        }
        switch number {
        case 1_000_000_000..<100_000_000_000: return number * 1000 + milliseconds
        case 100_000_000_000..<100_000_000_000_000: return number
        case 100_000_000_000_000..<100_000_000_000_000_000: return number / 1000
        case 100_000_000_000_000_000...: return number / 1_000_000
        default: return nil
        }
    }

    mutating func calendarTime(year: (value: Int64, count: Int)?) -> Int64? {
        guard let year, year.count == 4, let month = number(2), take("-"), let day = number(2),
            let days = Self.days(year: year.value, month: month, day: day)
        else {
            return nil
        }
        if isAtEnd {
            return days * 86_400_000
        }
        guard take("T") || take("t") || take(" "), let hour = number(2), take(":"), let minute = number(2) else {
            return nil
        }
        var second: Int64 = 0
        if take(":") {
            guard let number = number(2) else {
                return nil
            }
            second = number
        }
        return time(days, hour, minute, second)
    }

    mutating func logTime(day: (value: Int64, count: Int)?) -> Int64? {
        guard let day, day.count == 2, let month = month(), take("/"), let year = number(4), take(":"),
            let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
            let days = Self.days(year: year, month: month, day: day.value)
        else {
            return nil
        }
        return time(days, hour, minute, second)
    }

    private mutating func month() -> Int64? {
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        for (index, name) in names.enumerated() where take(word: name) {
            return Int64(index + 1)
        }
        return nil
    }

    /// The rest of a time: fraction and offset.
    private mutating func time(_ days: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64) -> Int64? {
        // 60 is a leap second.
        guard hour < 24, minute < 60, second <= 60, let milliseconds = fraction(), let offset = zone(), isAtEnd else {
            return nil
        }
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + milliseconds
    }

    /// Minutes east of UTC.
    private mutating func zone() -> Int64? {
        skipSpaces()
        if isAtEnd || take("Z") || take("z") || take(word: "UTC") || take(word: "GMT") {
            return 0
        }
        let sign: Int64 = take("-") ? -1 : 1
        guard sign < 0 || take("+"), let hours = number(2) else {
            return nil
        }
        if isAtEnd {
            return sign * hours * 60
        }
        _ = take(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), day >= 1 else {
            return nil
        }
        let days = CivilDate.days(year: year, month: month, day: day)
        let date = CivilDate.date(days)
        return date == (year, month, day) ? days : nil
    }
}
