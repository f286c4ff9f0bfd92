/// The records in the bytes of a page: https://www.sqlite.org/fileformat.html, "Record Format".
///
/// Neither the page's head nor its list of cells is used, nor the length and the id before each record, because all may
/// be damaged. A record is tried at every byte; any page may be read like this.
struct PageRecords {
    let bytes: UnsafeRawBufferPointer

    /// A value of a record.
    struct Value {
        /// Its type and length.
        fileprivate let code: Int64
        fileprivate let bytes: UnsafeRawBufferPointer

        /// Whether it is NULL.
        fileprivate var isNull: Bool {
            code == 0
        }

        /// An integer; nil if it is none.
        var integer: Int64? {
            switch code {
            case 1...6:
                let sign: UInt64 = bytes[0] & 0x80 == 0 ? 0 : .max
                return Int64(bitPattern: bytes.reduce(sign) { $0 << 8 | UInt64($1) })
            case 8, 9: return code - 8
            default: return nil
            }
        }

        /// A text; nil if it is none.
        var text: String? {
            code >= 13 && code % 2 == 1 ? String(validating: bytes, as: UTF8.self) : nil
        }

        /// The bytes of a blob; nil if it is none.
        var blob: UnsafeRawBufferPointer? {
            code >= 12 && code % 2 == 0 ? bytes : nil
        }

        fileprivate static func length(_ code: Int64) -> Int? {
            switch code {
            case 0, 8, 9: 0
            case 1...4: Int(code)
            case 5: 6
            case 6, 7: 8
            case 12...: Int((code - 12) / 2)
            default: nil
            }
        }
    }

    /// Calls a closure with the values of each row that has some number of columns and is in this page alone, and with
    /// where its record starts.
    ///
    /// The first column is that of the id, for which a record has NULL.
    func eachRow(columns count: Int, _ use: ([Value], Int) throws -> Void) rethrows {
        var values: [Value] = []
        // The length of the record's head comes first, of which each column has a byte at least.
        for start in 0..<max(0, bytes.count - count) where bytes[start + 1] == 0 && bytes[start] > count {
            if read(recordAt: start, columns: count, into: &values) {
                try use(values, start)
            }
        }
    }

    /// The values of the row whose record starts somewhere; nil if there is none.
    func values(at start: Int, columns count: Int) -> [Value]? {
        var values: [Value] = []
        return read(recordAt: start, columns: count, into: &values) ? values : nil
    }

    private func read(recordAt start: Int, columns count: Int, into values: inout [Value]) -> Bool {
        values.removeAll(keepingCapacity: true)
        var position = start
        guard let headLength = number(at: &position), (1...Int64(bytes.count)).contains(headLength) else {
            return false
        }
        let headEnd = start + Int(headLength)
        var next = headEnd
        while position < headEnd, values.count < count {
            guard let code = number(at: &position), let length = Value.length(code), length <= bytes.count - next
            else {
                return false
            }
            values.append(Value(code: code, bytes: UnsafeRawBufferPointer(rebasing: bytes[next..<(next + length)])))
            next += length
        }
        return position == headEnd && values.count == count && values.first?.isNull == true
    }

    /// Reads a number of one to nine bytes.
    private func number(at position: inout Int) -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 where position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard index < 8 else {
                return Int64(bitPattern: number << 8 | UInt64(byte))
            }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 {
                return Int64(bitPattern: number)
            }
        }
        return nil
    }
}
