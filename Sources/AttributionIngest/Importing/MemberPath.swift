import Attribution
import AttributionExplaining
import StrictJSON

/// A path to members of JSON, as `message.data` or `Records[].body`.
struct MemberPath: Sendable {
    private enum Step: Equatable, Sendable {
        case name(String)
        /// An element of an array; all of them where nil.
        case element(Int?)
    }

    private let steps: [Step]

    /// Reads a path; names have no regard to letter case, and `-` for `_`.
    init(_ text: String) {
        steps = text.split(separator: ".").filter { $0 != "$" }.flatMap { part -> [Step] in
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            let name = CSVHeader.normalized(pieces[0])
            return (name.isEmpty ? [] : [.name(name)])
                + pieces.dropFirst().map { piece in .element(Int(piece.filter { $0 != "]" })) }
        }
    }

    private init(steps: [Step]) {
        self.steps = steps
    }

    /// The name that it begins with.
    var firstName: String? {
        if case .name(let name)? = steps.first { name } else { nil }
    }

    /// The path without what it begins with.
    var rest: MemberPath { MemberPath(steps: Array(steps.dropFirst())) }

    /// The path and those of what is around it, the innermost first.
    var ancestors: [MemberPath] {
        (0...steps.count).reversed().map { MemberPath(steps: Array(steps.prefix($0))) }
    }

    /// The path with another's numbers of elements, as far as both are the same: what belongs to the same element.
    func beside(_ other: MemberPath) -> MemberPath {
        var steps = steps
        for (index, pair) in zip(self.steps, other.steps).enumerated() {
            switch pair {
            case (.element(nil), .element): steps[index] = pair.1
            case let (mine, theirs) where mine == theirs: continue
            default: return MemberPath(steps: steps)
            }
        }
        return MemberPath(steps: steps)
    }

    /// The values at the path, each with the path to it alone.
    func values(in value: JSONValue) -> [(path: MemberPath, value: JSONValue)] {
        steps.reduce([(MemberPath(steps: []), value)]) { values, step in
            values.flatMap { path, value -> [(MemberPath, JSONValue)] in
                let value = Self.opened(value)
                switch step {
                case .name(let name):
                    return value.member([name]).map { [(path.appending(step), $0.value)] } ?? []
                case .element(let index):
                    let elements = (value.elements(depth: RecordFields.depth) ?? []).enumerated()
                    return elements.filter { index == nil || $0.offset == index }
                        .map { (path.appending(.element($0.offset)), $0.element) }
                }
            }
        }
    }

    private func appending(_ step: Step) -> MemberPath { MemberPath(steps: steps + [step]) }

    /// A value out of its box or its string.
    private static func opened(_ value: JSONValue) -> JSONValue {
        if case .string(let text) = value, let first = text.utf8.first(where: { $0 > 0x20 }),
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
        {
            return .nested(text)
        }
        return JSONBox.contents(of: value)?.value ?? value
    }
}

extension JSONValue {
    /// The members of an object by their names without regard to letter case, out of their boxes.
    private var members: [(name: String, value: JSONValue)] {
        guard case .nested(let text) = self,
            let object = try? JSONObject(reading: text.utf8, limit: RawRecord.longest, depth: RecordFields.depth)
        else {
            return []
        }
        return object.fields.map { field in
            (CSVHeader.normalized(field.name), JSONBox.contents(of: field.value)?.value ?? field.value)
        }
    }

    /// The first member by the order of some names.
    func member(_ names: [String]) -> (name: String, value: JSONValue)? {
        let members = members
        return names.lazy.compactMap { name in members.first { $0.name == name } }.first
    }

    /// The first member by the order of some names that is text or a number.
    func text(_ names: [String]) -> (name: String, text: String)? {
        let members = members
        for name in names {
            if let text = members.first(where: { $0.name == name })?.value.plainText {
                return (name, text)
            }
        }
        return nil
    }

    /// The same, here or in an object inside.
    func innerText(_ names: [String]) -> (name: String, text: String)? {
        text(names)
            ?? members.lazy.compactMap { member in
                member.value.text(names).map { ("\(member.name).\($0.name)", $0.text) }
            }.first
    }
}
