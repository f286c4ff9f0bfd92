package import Attribution
import StrictJSON

/// A value of a postback, or of its receipt, for members and URLs.
package enum ValueSource: Hashable, Sendable {
    /// One of Apple's fields.
    case field(PostbackField)
    /// What we know of it.
    case own(Own)

    /// What we know of a postback.
    package enum Own: String, CaseIterable, Hashable, Sendable {
        /// When it was received, in whole seconds since 1970.
        case receivedAtSeconds = "received-at-seconds"
        /// When it was received, in milliseconds since 1970.
        case receivedAtMilliseconds = "received-at-milliseconds"
        /// Whether it was verified with another key than Apple's production key.
        case isTest = "is-test"
        /// The id of the request, which is the same in every attempt.
        case webhookID = "webhook-id"
    }

    /// Reads a ``name``.
    init?(_ name: String) {
        if let own = Own(rawValue: name) {
            self = .own(own)
        } else if let field = PostbackField(rawValue: name) {
            self = .field(field)
        } else {
            return nil
        }
    }

    /// Its name in files.
    var name: String {
        switch self {
        case .field(let field): field.rawValue
        case .own(let own): own.rawValue
        }
    }

    private static let names = Own.allCases.map(\.rawValue) + PostbackField.allCases.map(\.rawValue)

    static var list: String { names.joined(separator: ", ") }

    /// What to do about a name that is none of these.
    static func suggestion(for name: String) -> String {
        names.nearest(to: name).map { "write \($0)" } ?? "write one of these names"
    }

    var type: MemberType {
        switch self {
        case .field(let field): field.type
        case .own(.receivedAtSeconds), .own(.receivedAtMilliseconds): .number
        case .own(.isTest): .boolean
        case .own(.webhookID): .string
        }
    }
}

/// The JSON type of a member.
package enum MemberType: String, CaseIterable, Hashable, Sendable {
    case string, number, boolean

    func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.number, .integer), (.boolean, .bool): true
        default: false
        }
    }
}

/// A member that is added to Apple's.
package struct AddedMember: Hashable, Sendable {
    /// Where a member is written.
    package enum Place: String, CaseIterable, Hashable, Sendable {
        case body, query
    }

    private enum Source: Hashable, Sendable {
        case constant(JSONValue)
        case value(ValueSource, MemberType)
    }

    let name: String
    private let source: Source
    let place: Place

    /// A member of a preset.
    init(_ name: String, _ source: ValueSource, as type: MemberType) {
        self.name = name
        self.source = .value(source, type)
        place = .body
    }

    /// Reads an object such as `{"name": "timestamp", "source": "received-at-seconds", "type": "string"}` or
    /// `{"name": "attributed-channel", "value": "example"}`.
    ///
    /// - Throws: The first problem; among others, that its name is one of Apple's, which would break a signature.
    init(_ fields: DocumentFields, body: Destination.BodyMode) throws(DocumentProblem) {
        try DestinationReader.allow(["name", "value", "source", "type", "place"], fields)
        name = try fields.text("name", limit: 64)
        guard name.utf8.allSatisfy(Self.isNameByte) else {
            throw fields.problem(
                "name", found: fields.summary("name"), expected: "letters, digits and . _ -",
                cure: "write a name of these")
        }
        let lowercased = name.lowercasedASCII
        if let field = PostbackField.allCases.first(where: { $0.rawValue == lowercased }) {
            throw fields.problem(
                "name", found: "\"\(name)\", one of Apple's",
                expected: "a name that no postback has, for what Apple signed must not change",
                cure: "remove it: \(field.rawValue) is sent as it was received")
        }
        let standard: Place = body == .rawAndMembers ? .body : .query
        place = fields.has("place") ? try fields.choice("place") : standard
        guard place == .query || body == .rawAndMembers else {
            throw fields.problem(
                "place", found: "\"body\" with the body mode \(body.rawValue)",
                expected: "\"query\", or \"body\": \"raw+members\"", cure: "write \"place\": \"query\"")
        }
        guard fields.has("value") != fields.has("source") else {
            throw fields.problem(
                "source", found: fields.has("source") ? "source and value" : "nothing",
                expected: "either source or value", cure: "name what it is taken from, or write the value itself")
        }
        source = fields.has("value") ? try Self.constant(fields) : try Self.value(fields)
    }

    private static func constant(_ fields: DocumentFields) throws(DocumentProblem) -> Source {
        let value = fields.members.first { $0.name == "value" }?.value ?? .null
        guard MemberType.allCases.contains(where: { $0.accepts(value) }), !fields.has("type") else {
            let isTyped = fields.has("type")
            throw fields.problem(
                isTyped ? "type" : "value", found: isTyped ? "type and value" : fields.summary("value"),
                expected: isTyped ? "no type, for the value has one" : "a string, a whole number, true or false",
                cure: isTyped ? "remove type, and write the value as it is to be sent" : "write such a value")
        }
        return .constant(value)
    }

    private static func value(_ fields: DocumentFields) throws(DocumentProblem) -> Source {
        let name = try fields.text("source")
        guard let source = ValueSource(name) else {
            throw fields.problem(
                "source", found: fields.summary("source"), expected: "one of \(ValueSource.list)",
                cure: ValueSource.suggestion(for: name))
        }
        let type: MemberType = fields.has("type") ? try fields.choice("type") : source.type
        guard type == source.type || type == .string else {
            throw fields.problem(
                "type", found: "\"\(type.rawValue)\" of a \(source.type.rawValue)",
                expected: source.type == .string ? "\"string\"" : "\"\(source.type.rawValue)\" or \"string\"",
                cure: "write that, or remove it")
        }
        return .value(source, type)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    var type: MemberType {
        switch source {
        case .value(_, let type): type
        case .constant(.integer): .number
        case .constant(.bool): .boolean
        case .constant: .string
        }
    }

    /// Its value for a postback; nil if that lacks it.
    func value(_ value: (ValueSource) -> JSONValue?) -> JSONValue? {
        switch source {
        case .constant(let value): value
        case .value(let source, let type):
            switch value(source) {
            case nil, .null: nil
            case let value?: type == .string ? value.plainText.map(JSONValue.string) : value
            }
        }
    }
}

extension JSONValue {
    /// The value as text, without quotes; nil for `null`, arrays and objects.
    var plainText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .integer(let value): String(value)
        case .bool(let value): String(value)
        case .null, .nested: nil
        }
    }
}
