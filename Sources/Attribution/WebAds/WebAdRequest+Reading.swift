import FoundationEssentials
import StrictJSON

extension WebAdRequest {
    /// Reads a request of an ad server: one JSON object with the names of the properties' descriptions.
    ///
    /// A name it does not know is refused: a misspelt `source-domains` would otherwise open the ad to every page.
    ///
    /// - Parameter bytes: The JSON text.
    /// - Throws: ``JSONError`` for what is no JSON object, ``FieldProblem`` for the first field at fault.
    package init(reading bytes: some Collection<UInt8>) throws {
        var fields: [String: JSONValue] = [:]
        for field in try JSONObject(reading: bytes).fields {
            fields[field.name] = field.value
        }
        func take(_ name: String, _ expected: String) throws -> JSONValue {
            guard let value = fields.removeValue(forKey: name) else {
                throw FieldProblem(field: name, found: "nothing", expected: expected)
            }
            return value
        }
        func text(_ name: String, _ expected: String) throws -> String {
            let value = try take(name, expected)
            guard case .string(let text) = value else {
                throw FieldProblem(field: name, found: value.summary, expected: expected)
            }
            return text
        }
        func integer(_ name: String, _ expected: String) throws -> Int64 {
            let value = try take(name, expected)
            guard case .integer(let number) = value else {
                throw FieldProblem(field: name, found: value.summary, expected: expected)
            }
            return number
        }
        self.init(
            adNetworkID: try text("ad-network-id", "a string"),
            itunesItemID: try integer("itunes-item-id", "an App Store id"),
            sourceIdentifier: try integer("source-identifier", "a whole number from 0 to 9999"),
            attributionDestination: try text("attribution-destination", "an origin such as https://network.example")
        )
        if let value = fields.removeValue(forKey: "source-domains") {
            sourceDomains = try Self.texts(value, of: "source-domains")
        }
        if fields["label"] != nil {
            label = try text("label", "a string")
        }
        if fields["lifetime-seconds"] != nil {
            lifetimeSeconds = try integer("lifetime-seconds", "a whole number of seconds")
        }
        if let name = fields.keys.min() {
            throw FieldProblem(
                field: name.shortened(to: 60), found: "an unknown name",
                expected: "ad-network-id, itunes-item-id, source-identifier, attribution-destination, source-domains, "
                    + "label, lifetime-seconds")
        }
    }

    /// An array of strings; the grammar of nested values is checked already.
    private static func texts(_ value: JSONValue, of field: String) throws -> [String] {
        guard case .nested(let text) = value,
            let texts = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
        else {
            throw FieldProblem(field: field, found: value.summary, expected: "an array of strings")
        }
        return texts
    }
}
