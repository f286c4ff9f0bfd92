/// The members of an object in a request, read by name and type.
///
/// Whole numbers may be numbers or strings of digits, since exchanges send either; `null` is treated as absent. A value
/// of another type throws a ``FieldProblem`` with the full path of the member.
package struct RequestFields {
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
    private init(
        _ value: ScannedJSONValue, in source: JSONSource, _ name: String, depth: Int, prefix: String
    ) throws(FieldProblem) {
        guard source.isNested(value, in: "{"), case .nested(let range) = value else {
            throw FieldProblem(field: prefix + name, found: source.summary(value), expected: "an object")
        }
        do throws(JSONError) {
            object = try JSONObject(source.bytes, in: range, depth: depth)
        } catch {
            throw FieldProblem(
                field: prefix + name, found: error.description, expected: "an object with unique names")
        }
        self.depth = depth
        self.prefix = prefix + name + "."
    }

    /// Whether a member is present, even if it is `null`.
    package func has(_ name: String) -> Bool {
        object.has(name)
    }

    /// The members of a nested object, or nil if there is none.
    package func object(_ name: String) throws(FieldProblem) -> RequestFields? {
        guard let value = value(name) else {
            return nil
        }
        return try RequestFields(value, in: object.source, name, depth: depth, prefix: prefix)
    }

    /// A list of nested objects, each with its index in its path; empty if absent.
    package func objects(_ name: String) throws(FieldProblem) -> [RequestFields] {
        var objects: [RequestFields] = []
        let (source, values) = try elements(name)
        for (index, element) in values.enumerated() {
            objects.append(
                try RequestFields(element, in: source, "\(name)[\(index)]", depth: depth, prefix: prefix))
        }
        return objects
    }

    /// Whether a member is an array.
    package func isArray(_ name: String) -> Bool {
        object.scannedValue(of: name).map { object.source.isNested($0, in: "[") } ?? false
    }

    /// An identifier: a string, or a whole number, whose digits are taken.
    package func identifier(_ name: String) throws(FieldProblem) -> String? {
        guard let value = value(name) else {
            return nil
        }
        switch object.source.value(value) {
        case .string(let text) where !text.isEmpty: return text
        case .integer(let number): return String(number)
        case let value:
            throw problem(name, found: value.summary, expected: "a string that is not empty, or a whole number")
        }
    }

    /// A whole number.
    package func integer(_ name: String) throws(FieldProblem) -> Int64? {
        guard let value = value(name) else {
            return nil
        }
        return try integer(value, in: object.source, name)
    }

    /// A list of whole numbers; empty if absent.
    package func integers(_ name: String) throws(FieldProblem) -> [Int64] {
        var numbers: [Int64] = []
        let (source, values) = try elements(name)
        for element in values {
            numbers.append(try integer(element, in: source, name))
        }
        return numbers
    }

    /// A string.
    package func string(_ name: String) throws(FieldProblem) -> String? {
        guard let value = value(name) else {
            return nil
        }
        guard case .string(let string) = value else {
            throw problem(name, found: object.source.summary(value), expected: "a string")
        }
        return object.source.string(string)
    }

    /// A list of strings; empty if absent.
    package func strings(_ name: String) throws(FieldProblem) -> [String] {
        var texts: [String] = []
        let (source, values) = try elements(name)
        for element in values {
            guard case .string(let string) = element else {
                throw problem(name, found: source.summary(element), expected: "strings only")
            }
            texts.append(source.string(string))
        }
        return texts
    }

    /// A version: a string, or a number as some exchanges send it (`2.2`, `4` for 4.0).
    package func version(_ name: String) throws(FieldProblem) -> String? {
        guard let value = value(name) else {
            return nil
        }
        return try version(value, in: object.source, name)
    }

    /// A version or a list of versions; empty if absent.
    package func oneOrMoreVersions(_ name: String) throws(FieldProblem) -> [String] {
        if isArray(name), case let texts = try versions(name), !texts.isEmpty {
            return texts
        }
        return try version(name).map { [$0] } ?? []
    }

    /// A list of versions; empty if absent.
    package func versions(_ name: String) throws(FieldProblem) -> [String] {
        var texts: [String] = []
        let (source, values) = try elements(name)
        for element in values {
            texts.append(try version(element, in: source, name))
        }
        return texts
    }

    /// A boolean, also as 1 or 0; false if absent.
    package func flag(_ name: String) throws(FieldProblem) -> Bool {
        guard let value = value(name) else {
            return false
        }
        switch object.source.value(value) {
        case .bool(false), .integer(0), .string("0"), .string("false"): return false
        case .bool(true), .integer(1), .string("1"), .string("true"): return true
        case let value: throw problem(name, found: value.summary, expected: "1 or 0, true or false")
        }
    }

    /// All members as whole numbers, in order.
    package func allIntegers() throws(FieldProblem) -> [(String, Int64)] {
        var numbers: [(String, Int64)] = []
        for field in object.scannedFields {
            if case .null = field.value { continue }
            let name = object.source.string(field.name)
            numbers.append((name, try integer(field.value, in: object.source, name)))
        }
        return numbers
    }

    /// Refuses members with other names, so that a misspelt one is not silently ignored.
    package func allow(only names: [String]) throws(FieldProblem) {
        for field in object.scannedFields
        where !names.contains(where: { object.source.isString(field.name, $0) }) {
            throw FieldProblem(
                field: prefix + object.source.string(field.name).shortened(to: 60), found: "an unknown name",
                expected: "one of \(names.joined(separator: ", "))")
        }
    }

    /// A problem with a member.
    package func problem(_ name: String, found: String, expected: String) -> FieldProblem {
        FieldProblem(field: prefix + name, found: found, expected: expected)
    }

    private func value(_ name: String) -> ScannedJSONValue? {
        let value = object.scannedValue(of: name)
        if case .null = value { return nil }
        return value
    }

    private func elements(
        _ name: String
    ) throws(FieldProblem) -> (source: JSONSource, values: [ScannedJSONValue]) {
        guard let value = value(name) else {
            return (object.source, [])
        }
        guard let elements = object.source.elements(of: value, depth: depth) else {
            throw problem(name, found: object.source.summary(value), expected: "an array")
        }
        return elements
    }

    private func integer(
        _ value: ScannedJSONValue, in source: JSONSource, _ name: String
    ) throws(FieldProblem) -> Int64 {
        switch value {
        case .integer(let number):
            return number
        case .string(let string):
            let text = source.string(string)
            let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isDigits, let number = Int64(text) {
                return number
            }
        default: break
        }
        throw problem(name, found: source.summary(value), expected: "a whole number or a string of digits")
    }

    private func version(
        _ value: ScannedJSONValue, in source: JSONSource, _ name: String
    ) throws(FieldProblem) -> String {
        switch source.value(value) {
        case .string(let text), .number(let text): return text
        case .integer(let number): return "\(number).0"
        case let value:
            throw problem(name, found: value.summary, expected: "a version, for example \"4.0\"")
        }
    }
}
