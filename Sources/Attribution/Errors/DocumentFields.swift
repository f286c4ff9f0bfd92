package import StrictJSON

/// The members of one object of a JSON document that a person wrote, read by name; what is misspelt is refused.
package struct DocumentFields {
    let object: JSONObject
    /// Where the object is, such as `campaigns[0].`; empty for the whole file.
    let prefix: String
    /// The longest text that problems show; nil if they show the beginning of any, and unknown names.
    let longestShown: Int?
    /// How deep values may nest.
    private let depth: Int

    /// Takes a whole file, or one object of it.
    ///
    /// - Parameters:
    ///   - text: The bytes.
    ///   - limit: How many there may be.
    ///   - depth: How deep they may nest.
    ///   - name: What the file is, for problems with the whole of it.
    ///   - cure: What to do if it is not a JSON object.
    ///   - longestShown: For a file in which a secret may be misplaced, the longest text that problems show, in bytes;
    ///     of members with unknown names, they show nothing.
    ///   - prefix: Where the object is, such as `campaigns[0].`; empty for the whole file.
    /// - Throws: ``DocumentProblem`` with the whole of the file.
    package init(
        reading text: some Collection<UInt8>, limit: Int = 1 << 20, depth: Int = JSONObject.maximumDepth, name: String,
        cure: String, longestShown: Int? = nil, prefix: String = ""
    ) throws(DocumentProblem) {
        do throws(JSONError) {
            object = try JSONObject(reading: text, limit: limit, depth: depth)
        } catch {
            var found = error.found
            if let longestShown, case .duplicateName(let name) = error, name.utf8.count > longestShown {
                found = "a name of \(name.utf8.count) bytes twice, which is not shown"
            }
            throw DocumentProblem(name, found: found, expected: error.expected, cure: cure)
        }
        self.prefix = prefix
        self.longestShown = longestShown
        self.depth = depth
    }

    /// An object of the file, by its name or, within an array, its name and index.
    private func object(_ name: String, _ value: JSONValue) throws(DocumentProblem) -> DocumentFields {
        guard case .nested(let text) = value, text.utf8.first == UInt8(ascii: "{") else {
            throw wrong(name, value, "an object", "write its members in braces")
        }
        return try DocumentFields(
            reading: text.utf8, limit: text.utf8.count, depth: depth, name: prefix + name, cure: "correct the object",
            longestShown: longestShown, prefix: prefix + name + ".")
    }

    /// Refuses members of other names.
    package func allow(_ names: String...) throws(DocumentProblem) {
        if let problem = unknown(besides: names).first {
            throw problem
        }
    }

    /// The members as they are, in order.
    package var members: [JSONField] {
        object.fields
    }

    /// Where the object is, such as `campaigns[0]`; empty for the whole file.
    package var path: String {
        String(prefix.dropLast())
    }

    /// The path of a member.
    package func path(_ name: String) -> String {
        prefix + name
    }

    /// Whether there is a member, even if it is `null`.
    package func has(_ name: String) -> Bool {
        object[name] != nil
    }

    /// Whether there is a member that is not `null`, for the few that may be.
    package func hasValue(_ name: String) -> Bool {
        object[name].map { $0 != .null } ?? false
    }

    // MARK: Values

    /// A text of 1 to 255 bytes, or up to another limit.
    package func text(_ name: String, limit: Int = 255) throws(DocumentProblem) -> String {
        guard let text = try optionalText(name, limit: limit) else {
            throw missing(name, "a string")
        }
        return text
    }

    /// A text of 1 to 255 bytes, or up to another limit; nil if there is none.
    package func optionalText(_ name: String, limit: Int = 255) throws(DocumentProblem) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text) where (1...limit).contains(text.utf8.count): return text
        case let value?: throw wrong(name, value, "a string of 1 to \(limit) bytes", "write the text in quotes")
        }
    }

    /// True or false.
    package func flag(_ name: String, else standard: Bool) throws(DocumentProblem) -> Bool {
        switch object[name] {
        case nil: return standard
        case .bool(let value): return value
        case let value?: throw wrong(name, value, "true or false", "write true or false without quotes")
        }
    }

    /// A whole number of a range.
    package func integer(_ name: String, in range: ClosedRange<Int>, else standard: Int? = nil) throws(DocumentProblem)
        -> Int
    {
        switch object[name] {
        case nil:
            guard let standard else {
                throw missing(name, Self.words(range))
            }
            return standard
        case .integer(let value) where range.contains(Int(value)): return Int(value)
        case let value?: throw wrong(name, value, Self.words(range), "write a number of that range")
        }
    }

    /// A number of a range.
    package func number(
        _ name: String, in range: ClosedRange<Double>, else standard: Double? = nil
    ) throws(DocumentProblem) -> Double {
        guard let value = object[name] else {
            guard let standard else {
                throw missing(name, Self.words(range))
            }
            return standard
        }
        return try Self.number(value, prefix + name, in: range)
    }

    /// Numbers of one kind, as many as there must be.
    package func numbers(
        _ name: String, count: Int, in range: ClosedRange<Double>
    ) throws(DocumentProblem) -> [Double]? {
        guard let value = object[name] else {
            return nil
        }
        guard let elements = value.elements(), elements.count == count else {
            throw wrong(name, value, "an array of \(count) numbers", "write one number for each, in brackets")
        }
        var numbers: [Double] = []
        for element in elements {
            numbers.append(try Self.number(element, prefix + name, in: range))
        }
        return numbers
    }

    /// The members of an object.
    package func child(_ name: String) throws(DocumentProblem) -> DocumentFields {
        guard let value = object[name] else {
            throw missing(name, "an object")
        }
        return try object(name, value)
    }

    /// The objects of an array; empty when there is none.
    package func children(_ name: String) throws(DocumentProblem) -> [DocumentFields] {
        var children: [DocumentFields] = []
        for (index, element) in try elements(name, of: "objects").enumerated() {
            children.append(try object("\(name)[\(index)]", element))
        }
        return children
    }

    /// The objects of an array, of which there must be at least one.
    package func objects(_ name: String) throws(DocumentProblem) -> [DocumentFields] {
        let children = try children(name)
        guard !children.isEmpty else {
            throw DocumentProblem(
                prefix + name, found: has(name) ? "an empty array" : "nothing",
                expected: "an array of at least one object", cure: "add \"\(name)\" with at least one")
        }
        return children
    }

    /// Texts of 1 to 255 bytes, each once unless they may be repeated; empty when there is no array.
    package func texts(_ name: String, mayRepeat: Bool = false) throws(DocumentProblem) -> [String] {
        let (rule, cure) = mayRepeat ? ("", "") : (", each once", ", and once")
        var texts: [String] = []
        for (index, element) in try elements(name, of: "strings").enumerated() {
            guard case .string(let text) = element, (1...255).contains(text.utf8.count),
                mayRepeat || !texts.contains(text)
            else {
                throw wrong(
                    "\(name)[\(index)]", element, "a string of 1 to 255 bytes\(rule)",
                    "write the text in quotes\(cure)")
            }
            texts.append(text)
        }
        return texts
    }

    /// The elements of an array; none when there is no array.
    func elements(_ name: String, of kind: String) throws(DocumentProblem) -> [JSONValue] {
        guard let value = object[name] else {
            return []
        }
        guard let elements = value.elements(depth: depth) else {
            throw wrong(name, value, "an array of \(kind)", "write the \(kind) in brackets")
        }
        return elements
    }

    /// Whether a member is an object.
    package func isObject(_ name: String) -> Bool {
        if case .nested(let text) = object[name] { text.utf8.first == UInt8(ascii: "{") } else { false }
    }

    /// The exact text of a number, or of a string; nil for anything else.
    package func decimalText(_ name: String) -> String? {
        switch object[name] {
        case .integer(let value): String(value)
        case .number(let text), .string(let text): text
        default: nil
        }
    }

    /// The index of a name among those defined elsewhere in the file.
    package func index(
        of text: String, in names: [String], _ name: String, kind: String
    ) throws(DocumentProblem) -> Int {
        guard let index = names.firstIndex(of: text) else {
            let near = Self.nearest(to: text, in: names)
            throw problem(
                name, found: "\"\(text.shortened(to: 60))\"",
                expected: "one of \(names.joined(separator: ", "))",
                cure: near.map { "write \"\($0)\"" } ?? "name one of \(kind), or add this one there")
        }
        return index
    }

    /// A number of a value that was read from ``members``.
    package static func number(
        _ value: JSONValue, _ field: String, in range: ClosedRange<Double>
    ) throws(DocumentProblem) -> Double {
        let number: Double? =
            switch value {
            case .integer(let value): Double(value)
            case .number(let text): Double(text)
            default: nil
            }
        guard let number, range.contains(number) else {
            throw DocumentProblem(
                field, found: value.summary, expected: words(range), cure: "write a number of that range")
        }
        return number
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        range.upperBound == .max
            ? "a whole number from \(range.lowerBound) on"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func words(_ range: ClosedRange<Double>) -> String {
        "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
    }

    /// The known name that a text most resembles; nil for texts so short that each resembles another.
    static func nearest(to text: String, in names: [String]) -> String? {
        text.utf8.count > 3 ? names.nearest(to: text) : nil
    }
}

/// Members whose values are names of a known set.
extension DocumentFields {
    /// One of the cases of an enumeration, by its name.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(DocumentProblem) -> Choice {
        guard let value = object[name] else {
            throw missing(name, Self.names(of: Choice.self))
        }
        return try choice(value, name)
    }

    /// Cases of an enumeration, by their names; empty when there is no array.
    package func choices<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(DocumentProblem) -> [Choice] {
        var choices: [Choice] = []
        for (index, element) in try elements(name, of: "strings").enumerated() {
            choices.append(try choice(element, "\(name)[\(index)]"))
        }
        return choices
    }

    private func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue, _ name: String
    ) throws(DocumentProblem) -> Choice {
        guard case .string(let text) = value else {
            throw wrong(name, value, Self.names(of: Choice.self), "write one of these in quotes")
        }
        guard let choice = Choice(rawValue: text) else {
            let near = Self.nearest(to: text, in: Choice.allCases.map(\.rawValue))
            throw wrong(
                name, value, Self.names(of: Choice.self), near.map { "write \"\($0)\"" } ?? "write one of these names")
        }
        return choice
    }

    private static func names<Choice: CaseIterable & RawRepresentable<String>>(of: Choice.Type) -> String {
        "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
    }
}

/// What is wrong with an object or its members, without what may be a secret.
extension DocumentFields {
    /// The problems with members of other names.
    package func unknown(besides names: [String]) -> [DocumentProblem] {
        let expected = names.count == 1 ? "only \"\(names[0])\"" : "one of the names \(names.joined(separator: ", "))"
        return object.fields.enumerated().filter { !names.contains($0.element.name) }.map { index, field in
            let cure = Self.nearest(to: field.name, in: names).map { "write \($0)" } ?? "remove it"
            guard longestShown == nil else {
                return DocumentProblem(
                    path.isEmpty ? "the file" : path, found: "an unknown name (number \(index + 1), not shown)",
                    expected: expected, cure: cure)
            }
            return DocumentProblem(
                prefix + field.name.shortened(to: 60), found: field.value.summary, expected: expected, cure: cure)
        }
    }

    /// A problem with a member that was read.
    package func problem(_ name: String, found: String, expected: String, cure: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: found, expected: expected, cure: cure)
    }

    func missing(_ name: String, _ expected: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: "nothing", expected: expected, cure: "add \"\(name)\"")
    }

    func wrong(_ name: String, _ value: JSONValue, _ expected: String, _ cure: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: summary(value), expected: expected, cure: cure)
    }

    /// The type and the shortened text of a member, for messages.
    package func summary(_ name: String) -> String {
        object[name].map(summary) ?? "nothing"
    }

    /// The type and the shortened text of a value, for messages.
    package func summary(_ value: JSONValue) -> String {
        switch value {
        case .string(let text) where text.utf8.count > longestShown ?? .max:
            "a string of \(text.utf8.count) bytes, which is not shown"
        case .number(let text) where text.utf8.count > longestShown ?? .max:
            "a number of \(text.utf8.count) characters, which is not shown"
        default: value.summary
        }
    }
}
