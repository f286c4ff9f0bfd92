import StrictJSON

/// The members of one object of a scenario, read by name; what is misspelt is refused.
struct ScenarioFields {
    private let object: JSONObject
    /// Where the object is, such as `campaigns[2].`; empty for the whole file.
    private let path: String

    /// Takes a whole file.
    init(reading file: [UInt8]) throws(ScenarioProblem) {
        do throws(JSONError) {
            object = try JSONObject(reading: file, limit: 1 << 20)
        } catch {
            throw ScenarioProblem(
                "scenario", found: error.description, expected: "one JSON object, each name once",
                cure: "compare it with a file of samples/scenarios")
        }
        path = ""
    }

    private init(_ text: String, path: String) throws(ScenarioProblem) {
        do throws(JSONError) {
            object = try JSONObject(reading: text.utf8, limit: text.utf8.count)
        } catch {
            throw ScenarioProblem(
                String(path.dropLast()), found: error.description, expected: "one JSON object, each name once",
                cure: "mend the object")
        }
        self.path = path
    }

    /// Refuses members of other names.
    func allow(_ names: String...) throws(ScenarioProblem) {
        for field in object.fields where !names.contains(field.name) {
            let near = names.first { Self.areNear($0, field.name) }
            throw ScenarioProblem(
                path + field.name.shortened(to: 60), found: field.value.summary,
                expected: "one of the names \(names.joined(separator: ", "))",
                cure: near.map { "write \($0)" } ?? "remove it")
        }
    }

    /// The path of a member.
    func field(_ name: String) -> String {
        path + name
    }

    func has(_ name: String) -> Bool {
        object[name] != nil
    }

    // MARK: Values

    func text(_ name: String) throws(ScenarioProblem) -> String {
        guard let text = try optionalText(name) else {
            throw missing(name, "a string")
        }
        return text
    }

    func optionalText(_ name: String) throws(ScenarioProblem) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text) where (1...255).contains(text.utf8.count): return text
        case let value?: throw wrong(name, value, "a string of 1 to 255 bytes", "write the text in quotes")
        }
    }

    func flag(_ name: String, else standard: Bool) throws(ScenarioProblem) -> Bool {
        switch object[name] {
        case nil: return standard
        case .bool(let value): return value
        case let value?: throw wrong(name, value, "true or false", "write true or false without quotes")
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>, else standard: Int? = nil) throws(ScenarioProblem) -> Int {
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

    func number(
        _ name: String,
        in range: ClosedRange<Double>,
        else standard: Double? = nil
    ) throws(ScenarioProblem) -> Double {
        guard let value = object[name] else {
            guard let standard else {
                throw missing(name, Self.words(range))
            }
            return standard
        }
        return try Self.number(value, path + name, in: range)
    }

    /// Numbers of one kind, as many as there must be.
    func numbers(
        _ name: String,
        count: Int,
        in range: ClosedRange<Double>
    ) throws(ScenarioProblem) -> [Double]? {
        guard let value = object[name] else {
            return nil
        }
        guard let elements = value.elements(), elements.count == count else {
            throw wrong(name, value, "an array of \(count) numbers", "write one number for each, in brackets")
        }
        var numbers: [Double] = []
        for element in elements {
            numbers.append(try Self.number(element, path + name, in: range))
        }
        return numbers
    }

    /// An object whose members are weights.
    func weights(_ name: String) throws(ScenarioProblem) -> [Weighted<String>]? {
        guard has(name) else {
            return nil
        }
        let fields = try child(name)
        var weights: [Weighted<String>] = []
        for field in fields.object.fields {
            weights.append(
                Weighted(field.name, try Self.number(field.value, fields.path + field.name, in: 0...1_000_000)))
        }
        guard weights.contains(where: { $0.weight > 0 }) else {
            throw ScenarioProblem(
                path + name, found: "no weight above 0", expected: "an object with at least one",
                cure: "give each choice its weight, such as 70 and 30")
        }
        return weights
    }

    /// The members of an object.
    func child(_ name: String) throws(ScenarioProblem) -> ScenarioFields {
        guard let value = object[name] else {
            throw missing(name, "an object")
        }
        guard case .nested(let text) = value, text.utf8.first == UInt8(ascii: "{") else {
            throw wrong(name, value, "an object", "write its members in braces")
        }
        return try ScenarioFields(text, path: path + name + ".")
    }

    /// The objects of an array; empty when there is none.
    func children(_ name: String) throws(ScenarioProblem) -> [ScenarioFields] {
        guard let value = object[name] else {
            return []
        }
        guard let elements = value.elements() else {
            throw wrong(name, value, "an array of objects", "write the objects in brackets")
        }
        var children: [ScenarioFields] = []
        for (index, element) in elements.enumerated() {
            guard case .nested(let text) = element, text.utf8.first == UInt8(ascii: "{") else {
                throw ScenarioProblem(
                    "\(path)\(name)[\(index + 1)]", found: element.summary, expected: "an object",
                    cure: "write its members in braces")
            }
            children.append(try ScenarioFields(text, path: "\(path)\(name)[\(index + 1)]."))
        }
        return children
    }

    // MARK: Problems

    /// A problem with a member that was read.
    func problem(_ name: String, found: String, expected: String, cure: String) -> ScenarioProblem {
        ScenarioProblem(path + name, found: found, expected: expected, cure: cure)
    }

    /// The index of a name among those defined elsewhere in the file.
    func index(
        of text: String,
        in names: [String],
        _ name: String,
        kind: String
    ) throws(ScenarioProblem) -> Int {
        guard let index = names.firstIndex(of: text) else {
            let near = names.first { Self.areNear($0, text) }
            throw problem(
                name, found: "\"\(text.shortened(to: 60))\"",
                expected: "one of \(names.joined(separator: ", "))",
                cure: near.map { "write \"\($0)\"" } ?? "name one of \(kind), or add this one there")
        }
        return index
    }

    private func missing(_ name: String, _ expected: String) -> ScenarioProblem {
        ScenarioProblem(path + name, found: "nothing", expected: expected, cure: "add \"\(name)\"")
    }

    private func wrong(_ name: String, _ value: JSONValue, _ expected: String, _ cure: String) -> ScenarioProblem {
        ScenarioProblem(path + name, found: value.summary, expected: expected, cure: cure)
    }

    private static func number(
        _ value: JSONValue,
        _ field: String,
        in range: ClosedRange<Double>
    ) throws(ScenarioProblem) -> Double {
        let number: Double? =
            switch value {
            case .integer(let value): Double(value)
            case .number(let text): Double(text)
            default: nil
            }
        guard let number, range.contains(number) else {
            throw ScenarioProblem(
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

    /// Whether two names differ in letter case, a hyphen or a letter more, less, or exchanged.
    private static func areNear(_ name: String, _ other: String) -> Bool {
        let left = name.lowercased().filter { $0 != "-" && $0 != "_" }
        let right = other.lowercased().filter { $0 != "-" && $0 != "_" }
        return left == right
            || abs(left.count - right.count) <= 1
                && left.sorted().difference(from: right.sorted()).count <= 2 && left.first == right.first
    }
}
