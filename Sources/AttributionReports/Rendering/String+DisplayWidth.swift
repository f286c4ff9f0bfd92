extension String {
    /// The width in terminal columns.
    var displayWidth: Int {
        // Nearly all texts are ASCII, with one column per byte.
        utf8.allSatisfy({ $0 < 0x80 }) ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }

    /// The longest prefix that fits into a width, and the rest.
    func split(atWidth width: Int) -> (head: String, tail: String) {
        var (index, used) = (startIndex, 0)
        while index < endIndex {
            let next = self.index(after: index)
            used += String(self[index..<next]).displayWidth
            guard used <= width else {
                break
            }
            index = next
        }
        return (String(self[..<index]), String(self[index...]))
    }
}

extension Unicode.Scalar {
    /// 2 for ideographs and emoji, 0 for combining marks.
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
