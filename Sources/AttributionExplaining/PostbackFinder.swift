package import StrictJSON

/// Looks for postbacks in what queues, clouds and databases put around them: arrays and objects up to four names deep,
/// JSON in strings, and base64 or percent encoding of it.
///
/// The work is bounded by readings and bytes, whatever is nested in what.
package struct PostbackFinder {
    /// How much of a text is looked at.
    package struct Limits: Sendable {
        var readings: Int
        var bytes: Int
        var found: Int

        /// For explanations and imports.
        package static let whole = Limits(readings: 400, bytes: 512 << 10, found: 64)
        /// For answers to deliveries.
        static let cheap = Limits(readings: 40, bytes: 12 << 10, found: 3)
    }

    /// How deep what is read may nest.
    static let depth = 32
    private static let maximumNames = 4
    private static let maximumElements = 64
    /// How often a text may be inside a string.
    private static let maximumDecodings = 3

    private struct Item {
        let value: JSONValue
        let path: String
        var names = 0
        var decodings = 0
    }

    private var limits: Limits
    private var queue: [Item] = []
    private var found: [WrappedPostback] = []
    /// Whether something was left unread.
    private var isCut = false

    /// The postbacks in a text, those nearest to its surface first, and whether some of it was left unread.
    package static func postbacks(
        in text: [UInt8], _ limits: Limits = .whole
    ) -> (found: [WrappedPostback], isCut: Bool) {
        var finder = PostbackFinder(limits: limits)
        let value = finder.value(of: text) ?? .string(String(decoding: text, as: UTF8.self).trimmed)
        return finder.postbacks(in: value, path: "")
    }

    /// The postbacks in a value that is at a path, and whether some of it was left unread.
    package static func postbacks(in value: JSONValue, path: String) -> (found: [WrappedPostback], isCut: Bool) {
        var finder = PostbackFinder(limits: .whole)
        return finder.postbacks(in: value, path: path)
    }

    private init(limits: Limits) {
        self.limits = limits
    }

    private mutating func postbacks(in value: JSONValue, path: String) -> (found: [WrappedPostback], isCut: Bool) {
        queue = [Item(value: value, path: path)]
        var next = 0
        // Each item is read once, and only as long as there is something left.
        while next < queue.count, found.count < limits.found {
            visit(queue[next])
            next += 1
        }
        return (found, isCut || next < queue.count)
    }

    private mutating func visit(_ item: Item) {
        switch item.value {
        case .nested(let text) where text.utf8.first == UInt8(ascii: "{"):
            if let (_, value) = JSONBox.contents(of: item.value), take(text.utf8.count) {
                queue.append(Item(value: value, path: item.path, names: item.names, decodings: item.decodings))
            }
            let bytes = Array(text.utf8)
            if let object = object(bytes) {
                visit(object.fields, of: item, text: bytes)
            }
        case .nested(let text):
            guard take(text.utf8.count), let elements = item.value.elements(depth: Self.depth) else {
                return
            }
            isCut = isCut || elements.count > Self.maximumElements
            for (index, element) in elements.prefix(Self.maximumElements).enumerated() {
                queue.append(
                    Item(
                        value: element, path: item.path + "[\(index)]", names: item.names,
                        decodings: item.decodings))
            }
        case .string(let text):
            visit(text, of: item)
        case .integer, .number, .bool, .null: break
        }
    }

    private mutating func visit(_ members: [JSONField], of item: Item, text: [UInt8]) {
        if let postback = WrappedPostback(
            members, path: item.path, isDecoded: item.decodings > 0, text: text)
        {
            found.append(postback)
        }
        guard item.names < Self.maximumNames else {
            return
        }
        for member in members {
            switch member.value {
            case .nested, .string:
                let name = member.name.shortened(to: 40)
                queue.append(
                    Item(
                        value: member.value, path: item.path.isEmpty ? name : item.path + "." + name,
                        names: item.names + 1, decodings: item.decodings))
            case .integer, .number, .bool, .null: break
            }
        }
    }

    private mutating func visit(_ text: String, of item: Item) {
        // Nothing shorter is a postback, also not in base64.
        guard text.utf8.count >= 40, item.decodings < Self.maximumDecodings else {
            return
        }
        if SignatureShape(item.value) == .jws {
            let member = JSONField(name: "jws-string", value: item.value)
            // In an object with other names it is found there.
            if !found.contains(where: { $0.fields.contains { $0.value == item.value } }),
                let postback = WrappedPostback([member], path: item.path, isDecoded: true, text: nil)
            {
                found.append(postback)
            }
            return
        }
        let bytes = Array(text.utf8)
        if let value = Self.mayBeginJSON(bytes) ? value(of: bytes) : decoded(bytes) {
            queue.append(Item(value: value, path: item.path, names: item.names, decodings: item.decodings + 1))
        }
    }

    // MARK: Texts

    private static func mayBeginJSON(_ text: [UInt8]) -> Bool {
        [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(text.first { $0 > 0x20 } ?? 0)
    }

    /// The value that a text is in JSON.
    private mutating func value(of text: [UInt8]) -> JSONValue? {
        guard Self.mayBeginJSON(text), take(text.count) else {
            return nil
        }
        return JSONValue(reading: text, depth: Self.depth)
    }

    private mutating func object(_ text: [UInt8]) -> JSONObject? {
        take(text.count) ? try? JSONObject(reading: text, limit: text.count, depth: Self.depth) : nil
    }

    /// The value that a text is in base64 of either alphabet, or in percent encoding.
    private mutating func decoded(_ text: [UInt8]) -> JSONValue? {
        guard take(text.count) else {
            return nil
        }
        return Self.plain(text).flatMap { value(of: $0) }
    }

    /// What a text is in base64 of either alphabet, or in percent encoding; nil for one that is neither.
    static func plain(_ text: [UInt8]) -> [UInt8]? {
        if text.first == UInt8(ascii: "%") {
            return percentDecoded(text)
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count + 3)
        for byte in text where byte > 0x20 && byte != UInt8(ascii: "=") {
            switch byte {
            case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
            default: digits.append(byte)
            }
        }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return digits.withUnsafeBufferPointer { Base64.decode(utf8: $0) }
    }

    private static func percentDecoded(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                bytes.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count,
                let byte = UInt8(String(decoding: text[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(byte)
            index += 3
        }
        return bytes
    }

    /// Takes a reading of so many bytes from what is left.
    private mutating func take(_ count: Int) -> Bool {
        guard limits.readings > 0, limits.bytes >= count else {
            isCut = true
            return false
        }
        limits.readings -= 1
        limits.bytes -= count
        return true
    }
}

extension JSONValue {
    /// Reads a JSON text of any type, as the value of a member; nil for any other text.
    init?(reading text: some Collection<UInt8>, depth: Int) {
        let bytes = Array("{\"\":".utf8) + text + [UInt8(ascii: "}")]
        guard let object = try? JSONObject(reading: bytes, limit: bytes.count, depth: depth + 1),
            object.scannedFields.count == 1
        else {
            return nil
        }
        self = object.fields[0].value
    }
}
