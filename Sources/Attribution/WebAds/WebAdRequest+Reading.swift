import FoundationEssentials
import StrictJSON

extension WebAdRequest {
    /// Reads an ad server's request: one JSON object with the names that the properties document.
    ///
    /// Unknown names are refused, because a misspelt `source-domains` would allow the ad on every page.
    ///
    /// - Parameter bytes: The JSON text.
    /// - Throws: ``JSONError`` if it is not a JSON object, ``FieldProblem`` for the first invalid field.
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

    /// Reads an array of strings.
    private static func texts(_ value: JSONValue, of field: String) throws -> [String] {
        guard case .nested(let text) = value,
            let texts = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
        else {
            throw FieldProblem(field: field, found: value.summary, expected: "an array of strings")
        }
        return texts
    }
}
