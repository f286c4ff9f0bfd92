/// One name and its value in a JSON object, in the order received.
package struct JSONField: Hashable, Sendable {
    /// The name with its escapes decoded.
    package let name: String
    /// The value as received.
    package let value: JSONValue

    /// Makes a field.
    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}
