import StrictJSON

/// An impression inside something else, by its members.
struct FoundImpression {
    /// What it is.
    enum Form {
        case fields(ClaimedImpression)
        /// A compact JWS, or what is in its place.
        case jws(String)
    }

    /// Where it is, as `seatbid[0].bid[0].ext.skadn.fidelities[1]`; empty for the whole.
    let path: String
    let form: Form
}

/// Looks for impressions in what ad servers answer: bid responses, the answers of `skan`, lists, and JSON in strings.
struct ImpressionFinder {
    /// How deep what is read may nest.
    static let depth = 32
    /// More are not looked for.
    private static let maximum = 1_024
    /// How often a text may be inside a string.
    private static let maximumDecodings = 2

    private var found: [FoundImpression] = []

    /// The impressions in an object, in order.
    static func impressions(in object: JSONObject) -> [FoundImpression] {
        var finder = ImpressionFinder()
        finder.visit(object.fields, "", 0)
        return finder.found
    }

    /// The impressions in a text that is no object: an array, or a string.
    static func impressions(in text: String) -> [FoundImpression] {
        var finder = ImpressionFinder()
        finder.visit(text: text, "", 0)
        return finder.found
    }

    /// The impression in Swift code, as apps have it.
    static func impressions(inSwiftCode text: String) -> [FoundImpression] {
        var finder = ImpressionFinder()
        finder.visit(SwiftCode.literals(in: text), "", 0)
        return finder.found
    }

    private mutating func visit(text: String, _ path: String, _ decodings: Int) {
        guard decodings < Self.maximumDecodings, let first = text.trimmed.first, "{[\"".contains(first) else {
            return
        }
        if let value = JSONValue(reading: text.utf8, depth: Self.depth) {
            visit(value, path, decodings + 1)
        }
    }

    private mutating func visit(_ value: JSONValue, _ path: String, _ decodings: Int) {
        guard found.count < Self.maximum else {
            return
        }
        switch value {
        case .nested:
            if let object = value.object {
                visit(object.fields, path, decodings)
            } else {
                for (index, element) in (value.elements(depth: Self.depth) ?? []).enumerated() {
                    visit(element, path + "[\(index)]", decodings)
                }
            }
        case .string(let text): visit(text: text, path, decodings)
        case .integer, .number, .bool, .null: break
        }
    }

    private mutating func visit(_ members: [JSONField], _ path: String, _ decodings: Int) {
        for name in ["compact-jws", "compactJWS", "jws", "jwt"] {
            if case .string(let text) = members.first(where: { $0.name == name })?.value {
                found.append(FoundImpression(path: path, form: .jws(text)))
                return
            }
        }
        let list = members.first { $0.name == "fidelities" }?.value.elements(depth: Self.depth) ?? []
        for (index, element) in list.enumerated() {
            // What all fidelities share is beside the list.
            guard let fidelity = element.object, found.count < Self.maximum,
                let claim = ClaimedImpression(fidelity.fields + members.filter { !fidelity.has($0.name) })
            else {
                continue
            }
            let name = Self.joined(path, "fidelities") + "[\(index)]"
            found.append(FoundImpression(path: name, form: .fields(claim)))
        }
        if list.contains(where: { $0.object != nil }) {
            return
        }
        if let claim = ClaimedImpression(members), claim.isPlausible {
            found.append(FoundImpression(path: path, form: .fields(claim)))
            return
        }
        for member in members {
            visit(member.value, Self.joined(path, member.name.shortened(to: 40)), decodings)
        }
    }

    private static func joined(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : path + "." + name
    }
}

extension JSONValue {
    /// The object that it is; nil for any other value.
    fileprivate var object: JSONObject? {
        guard case .nested(let text) = self, text.utf8.first == UInt8(ascii: "{") else {
            return nil
        }
        return try? JSONObject(reading: text.utf8, limit: text.utf8.count, depth: ImpressionFinder.depth)
    }
}
