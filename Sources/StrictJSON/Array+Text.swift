extension [UInt8] {
    /// Appends the UTF-8 of a text.
    package mutating func append(utf8Of text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends the digits of a number, after a minus sign for a negative one.
    package mutating func append(decimal value: Int64) {
        if value < 0 {
            append(UInt8(ascii: "-"))
        }
        // From the last digit to the first; a 64-bit number has at most 20.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var remaining = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(remaining % 10)
            remaining /= 10
        } while remaining > 0
        for index in first..<digits.count {
            append(digits[index])
        }
    }
}
