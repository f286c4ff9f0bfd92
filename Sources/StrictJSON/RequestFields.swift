/// The members of an object in a request, read by name and type.
///
/// Whole numbers may be numbers or strings of digits, since exchanges send either; `null` is treated as absent. A value
/// of another type throws a ``FieldProblem`` with the full path of the member.
package struct RequestFields {
    /// A value and where it is.
    private struct Member {
        let value: ScannedJSONValue
        let source: JSONSource
        let prefix: String
        let name: String
        let depth: Int
        var isElement = false

        var path: String { prefix + name }

        func problem(expected: String) -> FieldProblem {
            FieldProblem(field: path, found: source.summary(value), expected: expected)
        }
    }

    private let object: JSONObject
    private let depth: Int
    /// The path before each name in a problem, such as `skadn.`; empty at the top level.
    package let prefix: String

    /// Reads a whole body.
    ///
    /// - Parameters:
    ///   - body: A JSON object.
    ///   - limit: The maximum length of the body, in bytes.
    ///   - depth: How deep arrays and objects may nest.
    /// - Throws: ``JSONError`` with the offset or the name at fault.
    package init(reading body: [UInt8], limit: Int, depth: Int = JSONObject.maximumDepth) throws(JSONError) {
        object = try JSONObject(reading: body, limit: limit, depth: depth)
        self.depth = depth
        prefix = ""
    }

    /// Reads a nested object.
    private init(_ member: Member) throws(FieldProblem) {
        guard member.source.isNested(member.value, in: "{"), case .nested(let range) = member.value else {
            throw member.problem(expected: "an object")
        }
        do throws(JSONError) {
            object = try JSONObject(member.source.bytes, in: range, depth: member.depth)
        } catch {
            throw FieldProblem(
                field: member.path, found: error.description, expected: "an object with unique names")
        }
        depth = member.depth
        prefix = member.path + "."
    }

    // MARK: Members

    /// Whether a member is present, even if it is `null`.
    package func has(_ name: String) -> Bool {
        object.has(name)
    }

    /// Whether a member is an array.
    package func isArray(_ name: String) -> Bool {
        object.scannedValue(of: name).map { object.source.isNested($0, in: "[") } ?? false
    }

    /// The members of a nested object, or nil if there is none.
    package func object(_ name: String) throws(FieldProblem) -> RequestFields? {
        try member(name).map(RequestFields.init)
    }

    /// A list of nested objects, each with its index in its path; empty if absent.
    package func objects(_ name: String) throws(FieldProblem) -> [RequestFields] {
        var objects: [RequestFields] = []
        for (index, element) in try elements(name).enumerated() {
            objects.append(
                try RequestFields(
                    Member(
                        value: element.value, source: element.source, prefix: prefix, name: "\(name)[\(index)]",
                        depth: depth)))
        }
        return objects
    }

    /// An identifier: a string, or a whole number, whose digits are taken.
    package func identifier(_ name: String) throws(FieldProblem) -> String? {
        guard let member = member(name) else {
            return nil
        }
        switch member.source.value(member.value) {
        case .string(let text) where !text.isEmpty: return text
        case .integer(let number): return String(number)
        default: throw member.problem(expected: "a string that is not empty, or a whole number")
        }
    }

    package func integer(_ name: String) throws(FieldProblem) -> Int64? {
        try member(name).map(Self.integer)
    }

    /// A list of whole numbers; empty if absent.
    package func integers(_ name: String) throws(FieldProblem) -> [Int64] {
        try elements(name).map(Self.integer)
    }

    /// All members as whole numbers, in order.
    package func allIntegers() throws(FieldProblem) -> [(String, Int64)] {
        var numbers: [(String, Int64)] = []
        for field in object.scannedFields {
            let name = object.source.string(field.name)
            if let member = member(name, field.value) {
                numbers.append((name, try Self.integer(member)))
            }
        }
        return numbers
    }

    package func string(_ name: String) throws(FieldProblem) -> String? {
        try member(name).map(Self.string)
    }

    /// A list of strings; empty if absent.
    package func strings(_ name: String) throws(FieldProblem) -> [String] {
        try elements(name).map(Self.string)
    }

    /// A version: a string, or a number as some exchanges send it (`2.2`, `4` for 4.0).
    package func version(_ name: String) throws(FieldProblem) -> String? {
        try member(name).map(Self.version)
    }

    /// A list of versions; empty if absent.
    package func versions(_ name: String) throws(FieldProblem) -> [String] {
        try elements(name).map(Self.version)
    }

    /// Versions as exchanges write them; empty if absent.
    ///
    /// One or a list, as numbers or strings, of which each may have several, separated by commas or spaces; `"4"` is 4.0.
    package func looseVersions(_ name: String) throws(FieldProblem) -> [String] {
        let texts = isArray(name) ? try versions(name) : try version(name).map { [$0] } ?? []
        return texts.flatMap { text in
            text.split { $0 == "," || $0.isWhitespace }.map { version in
                let isWhole = version.utf8.count == 1 && version.utf8.allSatisfy { (0x30...0x39).contains($0) }
                return version + (isWhole ? ".0" : "")
            }
        }
    }

    /// A boolean, also as 1 or 0; false if absent.
    package func flag(_ name: String) throws(FieldProblem) -> Bool {
        guard let member = member(name) else {
            return false
        }
        switch member.source.value(member.value) {
        case .bool(false), .integer(0), .string("0"), .string("false"): return false
        case .bool(true), .integer(1), .string("1"), .string("true"): return true
        default: throw member.problem(expected: "1 or 0, true or false")
        }
    }

    /// Refuses members with other names, so that a misspelt one is not silently ignored.
    package func allow(only names: [String]) throws(FieldProblem) {
        for field in object.scannedFields
        where !names.contains(where: { object.source.isString(field.name, $0) }) {
            throw problem(
                object.source.string(field.name).shortened(to: 60), found: "an unknown name",
                expected: "one of \(names.joined(separator: ", "))")
        }
    }

    /// A problem with a member.
    package func problem(_ name: String, found: String, expected: String) -> FieldProblem {
        FieldProblem(field: prefix + name, found: found, expected: expected)
    }

    // MARK: Values

    private func member(_ name: String) -> Member? {
        object.scannedValue(of: name).flatMap { member(name, $0) }
    }

    private func member(_ name: String, _ value: ScannedJSONValue) -> Member? {
        if case .null = value {
            nil
        } else {
            Member(value: value, source: object.source, prefix: prefix, name: name, depth: depth)
        }
    }

    private func elements(_ name: String) throws(FieldProblem) -> [Member] {
        guard let member = member(name) else {
            return []
        }
        guard let (source, values) = member.source.elements(of: member.value, depth: depth) else {
            throw member.problem(expected: "an array")
        }
        return values.map {
            Member(value: $0, source: source, prefix: prefix, name: name, depth: depth, isElement: true)
        }
    }

    private static func string(_ member: Member) throws(FieldProblem) -> String {
        guard case .string(let string) = member.value else {
            throw member.problem(expected: member.isElement ? "strings only" : "a string")
        }
        return member.source.string(string)
    }

    private static func integer(_ member: Member) throws(FieldProblem) -> Int64 {
        switch member.value {
        case .integer(let number):
            return number
        case .string(let string):
            let text = member.source.string(string)
            let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isDigits, let number = Int64(text) {
                return number
            }
        default: break
        }
        throw member.problem(expected: "a whole number or a string of digits")
    }

    private static func version(_ member: Member) throws(FieldProblem) -> String {
        switch member.source.value(member.value) {
        case .string(let text), .number(let text): return text
        case .integer(let number): return "\(number).0"
        default: throw member.problem(expected: "a version, for example \"4.0\"")
        }
    }
}
