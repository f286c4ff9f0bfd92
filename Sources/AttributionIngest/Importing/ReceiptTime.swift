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
    /// - Returns: Unix milliseconds; nil for a text that is no time.
    package static func milliseconds(_ text: some Collection<UInt8>) -> Int64? {
        var scanner = TimeScanner(text)
        return scanner.time()
    }

    /// The first text in brackets that is a time, as access logs have it.
    static func firstInBrackets(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = line
        while let open = rest.firstIndex(of: UInt8(ascii: "[")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "]"))
        {
            let text = rest[(open + 1)..<close]
            if text.count <= 40, milliseconds(text) != nil {
                return text
            }
            rest = rest[(open + 1)...]
        }
        return nil
    }
}

/// Reads the parts of a time one after the other.
private struct TimeScanner {
    private var bytes: ArraySlice<UInt8>

    init(_ text: some Collection<UInt8>) {
        bytes = Array(text)[...]
        while bytes.last == UInt8(ascii: " ") {
            bytes.removeLast()
        }
        skipSpaces()
    }

    /// The whole text as a time.
    mutating func time() -> Int64? {
        let first = digits()
        if take("-") {
            guard first?.count == 4, let month = number(2), take("-"), let day = number(2),
                let days = Self.days(first?.value, month, day)
            else {
                return nil
            }
            if bytes.isEmpty {
                return days * 86_400_000
            }
            return take("T") || take("t") || take(" ") ? clock(days, hasSeconds: false) : nil
        }
        if take("/") {
            guard first?.count == 2, let month = month(), take("/"), let year = number(4), take(":"),
                let days = Self.days(year, month, first?.value)
            else {
                return nil
            }
            return clock(days, hasSeconds: true)
        }
        return unixTime(first?.value)
    }

    private mutating func unixTime(_ number: Int64?) -> Int64? {
        guard let number, let milliseconds = fraction(), bytes.isEmpty else {
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

    /// The time of day and the offset.
    private mutating func clock(_ days: Int64, hasSeconds: Bool) -> Int64? {
        guard let hour = number(2), take(":"), let minute = number(2) else {
            return nil
        }
        var second: Int64 = 0
        if hasSeconds || bytes.first == UInt8(ascii: ":") {
            guard take(":"), let number = number(2) else {
                return nil
            }
            second = number
        }
        // 60 is a leap second.
        guard hour < 24, minute < 60, second <= 60, let milliseconds = fraction(), let offset = zone(), bytes.isEmpty
        else {
            return nil
        }
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + milliseconds
    }

    /// Minutes east of UTC.
    private mutating func zone() -> Int64? {
        skipSpaces()
        if bytes.isEmpty || take("Z") || take("z") || take("UTC") || take("GMT") {
            return 0
        }
        let sign: Int64 = take("-") ? -1 : 1
        guard sign < 0 || take("+"), let hours = number(2) else {
            return nil
        }
        if bytes.isEmpty {
            return sign * hours * 60
        }
        _ = take(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }

    // MARK: Parts

    private mutating func skipSpaces() {
        bytes = bytes.drop { $0 == UInt8(ascii: " ") }
    }

    private mutating func take(_ word: String) -> Bool {
        guard bytes.starts(with: word.utf8) else {
            return false
        }
        bytes = bytes.dropFirst(word.utf8.count)
        return true
    }

    /// A number of up to 19 digits, and how many it has.
    private mutating func digits(atMost limit: Int = 19) -> (value: Int64, count: Int)? {
        let text = bytes.prefix(limit).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let value = Int64(String(decoding: text, as: UTF8.self)) else {
            return nil
        }
        bytes = bytes.dropFirst(text.count)
        return (value, text.count)
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
        return (0..<digits.count).reduce(digits.value * 1000) { value, _ in value / 10 }
    }

    private mutating func month() -> Int64? {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return names.firstIndex { take($0) }.map { Int64($0 + 1) }
    }

    private static func days(_ year: Int64?, _ month: Int64, _ day: Int64?) -> Int64? {
        guard let year, let day, (1...12).contains(month), day >= 1 else {
            return nil
        }
        let days = CivilDate.days(year: year, month: month, day: day)
        let date = CivilDate.date(days)
        return date == (year, month, day) ? days : nil
    }
}
