import StrictJSON

/// Bytes with something around or inside them undone that keeps them from being read as JSON.
struct BodyRepair {
    /// What was undone, after "would verify if".
    let condition: String
    /// The bytes without it.
    let body: [UInt8]

    /// With all but one of the fields of a name renamed; the first is kept, then the last.
    static func keepingOneOfEach(_ name: String, in body: [UInt8]) -> [BodyRepair] {
        let quoted = Array("\"\(name)\"".utf8)
        var indices: [Int] = []
        for index in body.indices where body[index...].starts(with: quoted) {
            let next = body[(index + quoted.count)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if next == UInt8(ascii: ":") {
                indices.append(index)
            }
        }
        guard (2...8).contains(indices.count) else {
            return []
        }
        return [("first", indices[0]), ("last", indices[indices.count - 1])].map { which, kept in
            var copy = body
            for (number, index) in indices.enumerated().reversed() where index != kept {
                copy.replaceSubrange(index..<(index + quoted.count), with: "\"duplicate-\(number)\"".utf8)
            }
            return BodyRepair(condition: "only the \(which) \(name.shortened(to: 60)) were there", body: copy)
        }
    }

    /// Without what is around the object, and with an end that was cut off.
    static func unwrapping(_ body: [UInt8]) -> [BodyRepair] {
        guard let start = body.firstIndex(of: UInt8(ascii: "{")), body.count <= 2 * JSONObject.maximumLength else {
            return []
        }
        var repairs: [BodyRepair] = []
        if let end = body.lastIndex(of: UInt8(ascii: "}")), end > start {
            repairs.append(
                BodyRepair(
                    condition: "there were nothing before byte \(start) and after byte \(end)",
                    body: Array(body[start...end])))
        }
        for end in ["}", "\"}"] {
            repairs.append(BodyRepair(condition: "it ended in \(end)", body: body[start...] + Array(end.utf8)))
        }
        return repairs
    }
}
