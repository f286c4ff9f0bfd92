import Attribution
import Foundation
import StrictJSON

/// Forms in which people have genuine postbacks: names, envelopes and values, and every combination.
struct FormGenerator {
    /// How the names are spelt.
    enum Names: CaseIterable {
        case apples, prefixed, mixed, upper, camel, pascal, dotted, spaced, short

        private static let shorts = [
            "ad-network-id": "network-id", "attribution-signature": "signature", "jws-string": "jws",
            "source-identifier": "source_id", "fidelity-type": "fidelity", "did-win": "won",
            "postback-sequence-index": "sequence_index", "campaign-id": "campaign", "transaction-id": "txid",
        ]

        func spell(_ name: String) -> String {
            let words = name.split(separator: "-").map { String($0) }
            return switch self {
            case .apples: name
            case .prefixed: "skad_" + words.joined(separator: "_")
            case .mixed: (name == "app-id" ? "" : "skad_") + words.joined(separator: "_")
            case .upper: words.joined(separator: "_").uppercased()
            case .camel: words[0] + words.dropFirst().map(\.capitalized).joined()
            case .pascal: words.map(\.capitalized).joined()
            case .dotted: "event.payload." + name
            case .spaced: "pb: " + words.joined(separator: " ")
            case .short: Self.shorts[name] ?? name
            }
        }
    }

    /// What is around the postback, with the path to it.
    enum Envelope: String, CaseIterable {
        case none = ""
        case queue = "Records[0].body"
        case topic = "message.data"
        case index = "_source.body"
        case array = "[0]"
        case deep = "a.b.c.d"
        case list = "batch.postbacks[1]"
        case notification = "Message"
        case string, stringTwice, base64

        /// The path, where there is one.
        var path: String? {
            switch self {
            case .none, .string, .stringTwice, .base64: nil
            default: rawValue
            }
        }

        func wrap(_ text: String) -> String {
            func quoted(_ text: String) -> String { JSONText.string(text).line }
            return switch self {
            case .none: text
            case .queue: #"{"Records":[{"messageId":"1","body":\#(quoted(text)),"attributes":{"a":"1"}}]}"#
            case .topic: #"{"message":{"data":"\#(Base64.encode(text.utf8))","messageId":"1"},"subscription":"s"}"#
            case .index: #"{"_id":"1","_source":{"body":\#(text)}}"#
            case .array: "[\(text)]"
            case .deep: #"{"a":{"b":{"c":{"d":\#(text)}}}}"#
            case .list: #"{"version":"2.0","signature":"of the envelope","batch":{"postbacks":[{"id":1},\#(text)]}}"#
            case .notification:
                #"{"Type":"Notification","Message":\#(quoted(quoted(text))),"SignatureVersion":"1","Signature":"EXAMPLE"}"#
            case .string: quoted(text)
            case .stringTwice: quoted(quoted(text))
            case .base64: Base64.encode(text.utf8)
            }
        }
    }

    /// What became of the values.
    enum Values: CaseIterable {
        case apples, floats, strings, floatStrings, numbers, boxed, numbersBoxed, unions

        func spell(_ value: JSONValue) -> String {
            switch (self, value) {
            case (.boxed, .string): #"{"S":\#(value.text.line)}"#
            case (.boxed, .integer(let number)): #"{"N":"\#(number)"}"#
            case (.boxed, .bool(let flag)): #"{"BOOL":\#(flag)}"#
            case (.numbersBoxed, .integer(let number)): #"{"$numberInt":"\#(number)"}"#
            case (.unions, .string): #"{"string":\#(value.text.line)}"#
            case (.unions, .integer(let number)): #"{"long":\#(number)}"#
            case (.unions, .bool(let flag)): #"{"boolean":\#(flag)}"#
            case (.floats, .integer(let number)): "\(number).0"
            case (.strings, .integer(let number)): "\"\(number)\""
            case (.strings, .bool(let flag)): flag ? "\"t\"" : "\"f\""
            case (.floatStrings, .integer(let number)): "\"\(number).0\""
            case (.floatStrings, .bool(let flag)): flag ? "\"yes\"" : "\"no\""
            case (.numbers, .bool(let flag)): flag ? "1" : "0"
            default: value.text.line
            }
        }
    }

    /// A body in a form.
    static func body(_ fields: [JSONField], _ names: Names, _ envelope: Envelope, _ values: Values) -> [UInt8] {
        let members = fields.map { JSONText.string(names.spell($0.name)).line + ":" + values.spell($0.value) }
        return Array(envelope.wrap("{" + members.joined(separator: ",") + "}").utf8)
    }
}
