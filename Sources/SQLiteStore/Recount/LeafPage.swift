/// The bytes of a page, read as a leaf of a table: https://www.sqlite.org/fileformat.html, "B-tree Pages".
///
/// Any page may be read as one; what is no row is skipped. Only the list of cells is used, because the rest of the
/// page's head is not needed and may be damaged.
struct LeafPage {
    let bytes: UnsafeRawBufferPointer

    /// Where the list of cells begins.
    private static let listStart = 8
    /// The bytes of a page that a row without overflow leaves free, at least.
    private static let overhead = 35

    /// A value of a row.
    struct Value {
        /// Its type and length.
        fileprivate let code: Int64
        fileprivate let bytes: UnsafeRawBufferPointer

        /// Whether it is NULL, as which a row's own id is stored.
        var isNull: Bool {
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
    /// where it starts.
    func eachRow(columns count: Int, _ use: ([Value], Int) throws -> Void) rethrows {
        var values: [Value] = []
        var position = Self.listStart
        // Rows fill the page from its end.
        var end = bytes.count
        while position + 2 <= end {
            let start = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            guard start > 0 else {
                return
            }
            position += 2
            if start >= position, read(cellAt: start, into: &values), values.count == count {
                end = min(end, start)
                try use(values, start)
            }
        }
    }

    /// The values of the row that starts somewhere; nil if there is none.
    func values(at start: Int) -> [Value]? {
        var values: [Value] = []
        return read(cellAt: start, into: &values) ? values : nil
    }

    private func read(cellAt start: Int, into values: inout [Value]) -> Bool {
        values.removeAll(keepingCapacity: true)
        var position = start
        guard let length = number(at: &position), (1...Int64(bytes.count - Self.overhead)).contains(length),
            number(at: &position) != nil, position + Int(length) <= bytes.count
        else {
            return false
        }
        let end = position + Int(length)
        let head = position
        guard let headLength = number(at: &position), (1...length).contains(headLength) else {
            return false
        }
        let headEnd = head + Int(headLength)
        var next = headEnd
        while position < headEnd {
            guard let code = number(at: &position), let length = Value.length(code), length <= end - next else {
                return false
            }
            values.append(Value(code: code, bytes: UnsafeRawBufferPointer(rebasing: bytes[next..<(next + length)])))
            next += length
        }
        return position == headEnd
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
