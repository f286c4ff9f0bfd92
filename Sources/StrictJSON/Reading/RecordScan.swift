/// Finds the end of a record that may span lines, resuming where it stopped when more bytes arrive.
package struct RecordScan {
    private enum Kind {
        /// An object or array: ends where its brackets balance.
        case balanced(open: UInt8, close: UInt8)
        /// A string: ends at its quote.
        case string
        /// A number or word among the elements of an array.
        case scalar
        /// Anything else: ends before a line that begins an object.
        case garbage
    }

    private let kind: Kind
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isAfterNewline = false

    /// Makes a scan of a record.
    ///
    /// - Parameters:
    ///   - first: Its first byte.
    ///   - isElement: Whether it is an element of an array.
    package init(of first: UInt8, isElement: Bool) {
        kind =
            switch first {
            case UInt8(ascii: "{"): .balanced(open: first, close: UInt8(ascii: "}"))
            case UInt8(ascii: "[") where isElement: .balanced(open: first, close: UInt8(ascii: "]"))
            case UInt8(ascii: "\"") where isElement: .string
            default: isElement ? .scalar : .garbage
            }
    }

    /// Looks for the end of the record.
    ///
    /// - Parameters:
    ///   - bytes: The stream.
    ///   - start: Where the record begins or continues.
    /// - Returns: The index after its last byte, or nil if it continues after these bytes.
    package mutating func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        switch kind {
        case .balanced(let open, let close): return balancedEnd(open, close, in: bytes, from: start)
        case .string: return balancedEnd(0, 0, in: bytes, from: start)
        case .scalar:
            return bytes[start...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") }
        case .garbage:
            for index in start..<bytes.count {
                if isAfterNewline, bytes[index] == UInt8(ascii: "{") {
                    return index
                }
                isAfterNewline = bytes[index] == UInt8(ascii: "\n")
            }
            return nil
        }
    }

    private mutating func balancedEnd(
        _ open: UInt8, _ close: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 {
                        return index
                    }
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == open {
                depth += 1
            } else if byte == close {
                depth -= 1
                if depth == 0 {
                    return index
                }
            }
        }
        return nil
    }
}
