package import Attribution
package import StrictJSON

/// A postback inside something else or under other names: found by its members, and proven only by its signature.
package struct WrappedPostback: Sendable {
    /// Where it is, as `Records[0].body`; empty for the whole of what was searched.
    package let path: String
    /// Its members, with Apple's names for those that have another one, and their values out of typed boxes.
    package let fields: [JSONField]
    /// The names of fields that were others, with Apple's.
    package let renamed: [(name: String, field: PostbackField)]
    /// Names of which either may be a field, where their values differ.
    package let ambiguity: FieldNames.Ambiguity?
    /// Whether it is inside a string.
    let isDecoded: Bool
    /// The box that its values were in, as `S`; nil for none.
    let box: String?
    /// The text that it was found in, if nothing of it is changed.
    private let text: [UInt8]?

    /// Takes the members of an object; nil if they are none of a postback with a signature.
    init?(_ members: [JSONField], path: String, isDecoded: Bool, text: [UInt8]?) {
        var box: String?
        let unboxed = members.map { member -> JSONField in
            guard let (name, value) = JSONBox.contents(of: member.value) else {
                return member
            }
            box = box ?? name
            return JSONField(name: member.name, value: value)
        }
        guard let names = Self.names(of: unboxed) else {
            return nil
        }
        (fields, renamed) = names.applied(to: unboxed)
        self.path = path
        self.isDecoded = isDecoded
        self.box = box
        self.text = box == nil && renamed.isEmpty && fields.count == members.count ? text : nil
        ambiguity = names.ambiguities.first { unboxed[$0.indices[0]].value != unboxed[$0.indices[1]].value }
    }

    /// The body as a device sends it: as it was found, or put together again with every member.
    package var body: [UInt8] {
        text ?? Array(fields.object.utf8)
    }

    /// Apple's fields among members, with a signature that has the shape of one.
    private static func names(of members: [JSONField]) -> FieldNames? {
        var names = FieldNames(members.map(\.name))
        if !names.hasSignature, let index = members.firstIndex(where: { SignatureShape($0.value) != nil }),
            let shape = SignatureShape(members[index].value)
        {
            // A signature is one under any name.
            names.take(index, as: shape == .jws ? .jwsString : .attributionSignature)
        }
        guard names.arePlausible else {
            return nil
        }
        let signature = names.indices[.attributionSignature] ?? names.indices[.jwsString]
        guard let signature, case .string(let text) = members[signature].value, !text.isEmpty,
            names.indices[.attributionSignature] != nil || SignatureShape(members[signature].value) == .jws
        else {
            return nil
        }
        return names
    }
}

extension WrappedPostback {
    /// The postback to verify.
    var claim: ClaimedPostback { ClaimedPostback(fields) }

    /// The names that decide, and were others.
    private var respelled: Repair? {
        let deciding = renamed.filter(\.field.decides)
        return deciding.isEmpty ? nil : claim.repair(deciding)
    }

    /// Whether only names are at fault.
    private var isBare: Bool {
        path.isEmpty && box == nil && !isDecoded && respelled != nil
    }

    /// What is undone on it, after "would verify if".
    var conditions: [String] {
        let place = path.isEmpty ? "its text" : path
        let wrapping =
            box.map { "the values in \(place) were sent without the objects around them, as {\"\($0)\": …}" }
            ?? "what is inside \(place) were sent alone"
        return (isBare ? [] : [wrapping]) + (respelled.map { [$0.condition] } ?? [])
    }

    /// What to do about it, if a proof of it undoes nothing else; nil for the usual advice on the cause.
    func advice(_ proof: RepairSearch.Proof) -> String? {
        if let ambiguity {
            return "\(ambiguity): skan import refuses both; rename or remove one"
        }
        return proof.conditions.count > conditions.count ? repair.cause.adviceBesideOthers : nil
    }

    /// What is undone first, which is the cause.
    var repair: Repair {
        let field = path.isEmpty ? box ?? "" : path
        return isBare ? respelled ?? claim.repair([]) : Repair(.wrapped, field.shortened(to: 200), conditions[0], claim)
    }
}

/// What a value is by its shape, whatever it is called.
enum SignatureShape {
    case jws, der

    init?(_ value: JSONValue) {
        guard case .string(let text) = value, (40...JSONObject.maximumLength).contains(text.utf8.count) else {
            return nil
        }
        if text.utf8.starts(with: "ey".utf8), text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2,
            text.utf8.last != UInt8(ascii: ".")
        {
            self = .jws
        } else if text.utf8.first == UInt8(ascii: "M"), text.utf8.count <= 128, let bytes = Base64.decode(text),
            bytes.first == 0x30, SignatureSpelling.der(bytes) == bytes
        {
            self = .der
        } else {
            return nil
        }
    }
}

/// Values that name their type: `{"S": "…"}` of DynamoDB, `{"$date": "…"}` of MongoDB, and others.
package enum JSONBox {
    private static let names: Set = [
        "S", "N", "BOOL", "NULL", "M", "L", "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal", "$date",
        "$oid", "$uuid", "stringValue", "integerValue", "doubleValue", "booleanValue", "nullValue", "timestampValue",
        "mapValue", "arrayValue", "fields", "values", "string", "int", "long", "float", "double", "boolean",
    ]
    /// Of these the text is a number.
    private static let numbers: Set = [
        "N", "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal", "integerValue", "doubleValue",
    ]

    /// Whether the value of one of Apple's fields is in a box: then the postback has to be taken out of its boxes.
    package static func hold(_ fields: [JSONField]) -> Bool {
        fields.contains { PostbackField(rawValue: $0.name) != nil && contents(of: $0.value) != nil }
    }

    /// What is in a box, also of boxes in it, and the box; nil for a value that is in none.
    package static func contents(of value: JSONValue) -> (box: String, value: JSONValue)? {
        guard case .nested(let text) = value, text.utf8.first == UInt8(ascii: "{"), text.utf8.count <= 4_096,
            let object = try? JSONObject(reading: text.utf8, depth: PostbackFinder.depth),
            object.scannedFields.count == 1, let field = object.fields.first, names.contains(field.name)
        else {
            return nil
        }
        if case .string(let text) = field.value, numbers.contains(field.name) {
            let number = Int64(text).flatMap { String($0) == text ? JSONValue.integer($0) : nil }
            return (field.name, number ?? .number(text))
        }
        if field.name == "NULL" {
            return (field.name, .null)
        }
        return (field.name, contents(of: field.value)?.value ?? field.value)
    }
}

extension [JSONField] {
    /// An object of these fields, each value as it was written.
    var object: String {
        "{" + map { JSONText.string($0.name).line + ":" + $0.value.written }.joined(separator: ",") + "}"
    }
}

extension JSONValue {
    /// The value as it was written, but for the escapes of a string.
    fileprivate var written: String {
        switch self {
        case .number(let text), .nested(let text): text
        case .string, .integer, .bool, .null: text.line
        }
    }
}
