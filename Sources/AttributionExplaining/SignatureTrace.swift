import StrictJSON

/// Something in a body that may be its signature, though nothing there is read as a postback.
///
/// Who has it is not told that there is none. Only its shape counts, so it proves nothing.
struct SignatureTrace {
    /// Where it is, for people.
    let place: String
    /// Whether it has the shape of a JWS.
    let isJWS: Bool
    /// What has to be undone first; nil if it can be seen as it is.
    let encoding: String?

    private struct Shape {
        var offset: Int
        var isJWS = false
        var encoding: String?
    }

    /// The first one in a text, whatever the text is; the time is proportional to its length.
    init?(in text: [UInt8]) {
        var strings = JSONStrings(text)
        while let string = strings.next() {
            if let shape = Self.shape(of: string, in: text) {
                place = strings.path.isEmpty ? "its text" : strings.path.shortened(to: 200)
                (isJWS, encoding) = (shape.isJWS, shape.encoding)
                return
            }
        }
        guard let shape = Self.shape(in: text[...]) else {
            return nil
        }
        place = "byte \(shape.offset)"
        (isJWS, encoding) = (shape.isJWS, nil)
    }

    /// The shape of a string.
    private static func shape(of string: Range<Int>, in text: [UInt8]) -> Shape? {
        if let shape = shape(in: text[string]) {
            return shape
        }
        // 64 bytes, r and s alone: of a JWS in three members.
        let digits = text[string].reversed().drop { $0 == UInt8(ascii: "=") }
        guard digits.count != 86 || !digits.allSatisfy(isDigit) else {
            return Shape(offset: string.lowerBound, isJWS: true)
        }
        return encodedShape(text[string].filter { $0 != UInt8(ascii: "\\") })
    }

    /// What is inside base64 or percent encoding, up to three times.
    private static func encodedShape(_ text: [UInt8]) -> Shape? {
        var text = text
        if text.starts(with: "data:".utf8), let comma = text.firstIndex(of: UInt8(ascii: ",")) {
            text.removeFirst(comma + 1)
        }
        for _ in 0..<3 {
            guard text.count >= 56, let plain = PostbackFinder.plain(text) else {
                return nil
            }
            if let shape = shape(in: plain[...]) {
                return Shape(offset: 0, isJWS: shape.isJWS, encoding: "decode it")
            }
            // What is compressed, by gzip or zstd, may hold anything.
            if plain.starts(with: [0x1F, 0x8B]) || plain.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                return Shape(offset: 0, encoding: "decode it, and decompress it")
            }
            text = plain
        }
        return nil
    }

    // MARK: Shapes

    /// The first signature in DER, as base64 or hexadecimal digits, or the first compact JWS.
    private static func shape(in text: ArraySlice<UInt8>) -> Shape? {
        var index = text.startIndex
        while index < text.endIndex {
            let rest = text[index...]
            switch text[index] {
            case UInt8(ascii: "M") where isBase64(rest), UInt8(ascii: "3") where isHexadecimal(rest):
                return Shape(offset: index)
            case UInt8(ascii: "e") where rest.starts(with: "eyJ".utf8):
                var end = index
                var lengths: [Int] = []
                while lengths.count < 3 {
                    let run = text[end...].prefix(while: isDigit).count
                    lengths.append(run)
                    end += run
                    guard lengths.count < 3, end < text.endIndex, text[end] == UInt8(ascii: ".") else {
                        break
                    }
                    end += 1
                }
                guard lengths.count < 3 || lengths[2] < 40 else {
                    return Shape(offset: index, isJWS: true)
                }
                // What begins within these digits goes no further.
                index = end
            default:
                index += 1
            }
        }
        return nil
    }

    /// Whether a text begins with the base64 of two numbers of 15 to 33 bytes in DER.
    private static func isBase64(_ text: ArraySlice<UInt8>) -> Bool {
        let head = Array(text.prefix(5))
        return head.count == 5 && "CDE".utf8.contains(head[1]) && "AEIMQUYcgkosw048".utf8.contains(head[2])
            && head[3] == UInt8(ascii: "C") && "EFGHI".utf8.contains(head[4])
            && text.prefix(48).allSatisfy { isDigit($0) || "+/%\\".utf8.contains($0) } && text.count >= 48
    }

    /// The same in hexadecimal digits.
    private static func isHexadecimal(_ text: ArraySlice<UInt8>) -> Bool {
        let head = Array(text.prefix(7))
        return head.count == 7 && head[1] == UInt8(ascii: "0") && "234".utf8.contains(head[2])
            && head[4...5].elementsEqual("02".utf8) && "12".utf8.contains(head[6]) && text.count >= 80
            && text.prefix(80).allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The strings in what may be JSON, however deep, in one pass that checks nothing.
private struct JSONStrings {
    private enum Step {
        case name(Range<Int>)
        case element(Int)
    }

    private let text: [UInt8]
    private var index = 0
    private var steps: [Step] = []

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The path to the last string.
    var path: String {
        steps.prefix(40).reduce("") { path, step in
            switch step {
            case .name(let range):
                let name = String(decoding: text[range], as: UTF8.self).shortened(to: 40)
                return path.isEmpty || name.isEmpty ? path + name : path + "." + name
            case .element(let number): return path + "[\(number)]"
            }
        }
    }

    /// The text between the quotes of the next value, with its escapes.
    mutating func next() -> Range<Int>? {
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "{"): steps.append(.name(0..<0))
            case UInt8(ascii: "["): steps.append(.element(0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = steps.popLast()
            case UInt8(ascii: ","):
                if case .element(let number)? = steps.last {
                    steps[steps.count - 1] = .element(number + 1)
                }
            case UInt8(ascii: "\""):
                let string = string()
                guard case .name? = steps.last, text[index...].first(where: { $0 > 0x20 }) == UInt8(ascii: ":") else {
                    return string
                }
                steps[steps.count - 1] = .name(string)
            default: break
            }
        }
        return nil
    }

    /// What follows a quote, up to the next one that is not escaped.
    private mutating func string() -> Range<Int> {
        let start = index
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(index, text.count)
        index = min(end + 1, text.count)
        return start..<end
    }
}
