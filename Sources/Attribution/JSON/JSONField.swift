/// One name and its value in a JSON object, in the order received.
public struct JSONField: Hashable, Sendable {
    /// The name with its escapes decoded.
    public let name: String
    /// The value as received.
    public let value: JSONValue

    /// Makes a field.
    public init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}
