import Attribution
package import AttributionStore
package import StrictJSON

extension QuarantinedDelivery {
    /// All its facts, and its body.
    package var json: JSONText {
        .object(
            [
                ("id", .integer(id)),
                ("class", .string(kind.rawValue)),
                ("received-at-milliseconds", .integer(receivedAtMilliseconds)),
                ("recipient", .string(recipient.rawValue)),
                ("client", client.isEmpty ? .null : .string(client)),
                ("reason", .string(reason)),
                ("detail", .string(detail)),
                ("postback-id", postbackID.map { .integer($0) } ?? .null),
            ] + StoredBody(body).members)
    }
}

extension RecordedPostback {
    /// All its facts except its fields, and its body.
    package var json: JSONText {
        .object(
            [
                ("id", .integer(id)),
                ("recorded-at-milliseconds", .integer(recordedAtMilliseconds)),
                ("received-at-milliseconds", .integer(receivedAtMilliseconds)),
                ("recipient", .string(recipient.rawValue)),
                ("provenance", .string(traffic.rawValue)),
                ("key", .string(keyName)),
            ] + StoredBody(body).members)
    }
}

extension QuarantineTotal {
    /// The class with its count and size.
    package var json: JSONText {
        .object(["class": .string(kind.rawValue), "count": .integer(count), "bytes": .integer(bytes)])
    }
}

/// A body as received, for JSON: text where it is UTF-8, otherwise base64.
package struct StoredBody {
    private let bytes: [UInt8]?

    /// Wraps a body; nil for a damaged one.
    package init(_ bytes: [UInt8]?) {
        self.bytes = bytes
    }

    /// `body` and `body-encoding`, which is `utf-8` or `base64`; both null for a damaged body.
    package var members: [(String, JSONText)] {
        guard let bytes else {
            return [("body", .null), ("body-encoding", .null)]
        }
        if let text = String(validating: bytes, as: UTF8.self) {
            return [("body", .string(text)), ("body-encoding", .string("utf-8"))]
        }
        return [("body", .string(Base64.encode(bytes))), ("body-encoding", .string("base64"))]
    }
}
