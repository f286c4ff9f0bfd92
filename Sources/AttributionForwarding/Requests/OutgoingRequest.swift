import Attribution
package import AttributionSigning
import AttributionStore
import Platform
import StrictJSON

/// The request that brings a postback to a destination, the same in every attempt.
package struct OutgoingRequest: Hashable, Sendable {
    /// Its `webhook-id`, made of the destination's name and the postback's key: the same in every attempt, also from a
    /// copy of the store.
    package let id: String
    /// The path and the query.
    let target: String
    /// The body; nil for a request without one.
    let body: [UInt8]?

    /// How much memory it takes, about.
    package var byteCount: Int { target.utf8.count + (body?.count ?? 0) + 128 }

    /// Makes the request of a postback, reads it back as its receiver will, and verifies the signature again.
    ///
    /// - Throws: ``OutgoingProblem``; nothing leaves that does not verify.
    package init(
        _ postback: OutgoingPostback, to destination: Destination, verifier: PostbackVerifier
    ) throws(OutgoingProblem) {
        try self.init(composing: postback, for: destination)
        // The received bytes were verified when they were read.
        guard destination.body != .raw else { return }
        let judgement = verifier.judge(
            try bodyReadBack(of: postback, destination), receivedAt: postback.receivedAtMilliseconds)
        let verified = try judgement.verified()
        guard verified.provenance == postback.traffic.provenance else {
            throw .notVerified("another key verifies what would leave")
        }
        try Self.check(verified.postback, against: postback.postback, destination)
    }

    /// Makes the request without verifying it.
    init(composing postback: OutgoingPostback, for destination: Destination) throws(OutgoingProblem) {
        let id = Self.id(of: postback, for: destination)
        let valueOf = { (source: ValueSource) in postback.value(of: source, requestID: id) }
        var parameters: [(name: String, text: String?)] = []
        var members: [JSONField] = []
        switch destination.body {
        case .raw: break
        case .rawAndMembers:
            members = postback.postback.appleMembers
            members += Self.missing(in: postback.postback, destination).map { JSONField(name: $0, value: .null) }
        case .query:
            parameters = postback.postback.appleMembers.map { ($0.name, $0.value.plainText) }
        }
        for member in destination.members {
            let value = member.value(valueOf)
            switch member.place {
            case .query: parameters.append((member.name, value?.plainText))
            case .body:
                if let value = value ?? (destination.fillsNull ? .null : nil) {
                    members.append(JSONField(name: member.name, value: value))
                }
            }
        }
        var target = try destination.url.target(secret: destination.secret?.token, valueOf)
        for case (let name, let text?) in parameters {
            target += (target.contains("?") ? "&" : "?") + name.percentEncoded + "=" + text.percentEncoded
        }
        self.id = id
        self.target = target
        body =
            switch destination.body {
            case .raw: postback.postback.body
            case .rawAndMembers: members.json
            case .query: destination.method == .get ? nil : []
            }
    }

    private static func id(of postback: OutgoingPostback, for destination: Destination) -> String {
        let digest = SHA256.digest(of: Array(destination.name.utf8) + [0] + postback.key.bytes)
        return String(digest.hexadecimal.prefix(32))
    }

    /// Apple's members that a postback lacks and the destination wants.
    private static func missing(in postback: ReceivedPostback, _ destination: Destination) -> [String] {
        guard destination.fillsNull, case .skAdNetwork = postback else { return [] }
        let present = postback.appleMembers.map(\.name)
        return PostbackField.filled.map(\.rawValue).filter { !present.contains($0) }
    }
}

// MARK: Reading it back

extension OutgoingRequest {
    /// The body that a receiver verifies: the members that are Apple's by their names, without those that say `null`
    /// because the postback lacks them.
    func bodyReadBack(of postback: OutgoingPostback, _ destination: Destination) throws(OutgoingProblem) -> [UInt8] {
        switch destination.body {
        case .raw: return body ?? []
        case .query: return try queryReadBack()
        case .rawAndMembers:
            let fields: [JSONField]
            do throws(JSONError) {
                fields = try JSONObject(reading: body ?? []).fields
            } catch {
                throw .notVerified("what would leave is not JSON: \(error.description)")
            }
            let filled = Self.missing(in: postback.postback, destination)
            return fields.filter { !($0.value == .null && filled.contains($0.name)) }.json
        }
    }

    /// The parameters with Apple's names, in their JSON types.
    private func queryReadBack() throws(OutgoingProblem) -> [UInt8] {
        var members: [JSONField] = []
        for parameter in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let encoded = parameter.prefix { $0 != "=" }
            guard let name = String(percentEncoded: encoded), let field = PostbackField(rawValue: name) else {
                continue
            }
            guard let text = String(percentEncoded: parameter.drop { $0 != "=" }.dropFirst()) else {
                throw .notVerified("\(name) is not percent-encoded")
            }
            let value: JSONValue =
                switch field.type {
                case .string: .string(text)
                case .number: Int64(text).map(JSONValue.integer) ?? .string(text)
                case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
                }
            members.append(JSONField(name: name, value: value))
        }
        return members.json
    }

    /// Compares what was read back with what was received: all that is signed, the signature, and all that Apple
    /// documents.
    static func check(
        _ back: ReceivedPostback, against postback: ReceivedPostback, _ destination: Destination
    ) throws(OutgoingProblem) {
        // A query has no null.
        let members = postback.appleMembers.filter { destination.body != .query || $0.value != .null }
        guard back.signer == postback.signer, back.signedBytes == postback.signedBytes,
            back.signature == postback.signature, back.appleMembers == members
        else {
            throw .notVerified("what would leave is not what was received")
        }
    }
}

// MARK: Destinations that would break signatures

extension Destination {
    /// Makes the request of a sample of each version, and reads it back, so that what would break a signature does not
    /// start.
    func checkSamples() throws(OutgoingProblem) {
        for body in SamplePostback.all where body.framework == filters.framework ?? body.framework {
            let sample = OutgoingPostback(body, traffic: .test, receivedAtMilliseconds: 1_700_000_000_000)
            let request: OutgoingRequest
            do throws(OutgoingProblem) {
                request = try OutgoingRequest(composing: sample, for: self)
            } catch .lacks {
                // Not every postback has every value.
                continue
            }
            let bytes = try request.bodyReadBack(of: sample, self)
            let back: ReceivedPostback
            do throws(PostbackRejection) {
                back = try ReceivedPostback(reading: bytes)
            } catch {
                throw .notVerified(error.description)
            }
            try OutgoingRequest.check(back, against: body, self)
        }
    }
}

/// Postbacks of each version, whose signatures nobody made: they are only compared.
private enum SamplePostback {
    static let all: [ReceivedPostback] =
        (SKAdNetworkVersion.allCases.map(body) + [adAttributionKitBody]).compactMap {
            try? ReceivedPostback(reading: $0)
        }

    private static func body(of version: SKAdNetworkVersion) -> [UInt8] {
        let fields =
            PostbackField.signed(in: version).filter { $0 != .sourceDomain } + [
                .conversionValue, .attributionSignature,
            ]
        return fields.map { field in
            let value: JSONValue =
                switch field {
                case .version: .string(version.rawValue)
                case .attributionSignature: .string("MEUCIQ==")
                default: sample(field)
                }
            return JSONField(name: field.rawValue, value: value)
        }.json
    }

    private static let adAttributionKitBody: [UInt8] = {
        let header = #"{"kid":"\#(PostbackKeyID.production.rawValue)","alg":"ES256"}"#
        let payload = [
            PostbackField.postbackIdentifier, .adNetworkIdentifier, .advertisedItemIdentifier, .sourceIdentifier,
            .conversionType, .impressionType, .didWin, .sequenceIndex,
        ].map { JSONField(name: $0.rawValue, value: sample($0)) }.json
        let parts = [Array(header.utf8), payload, Array(repeating: 1, count: 64)].map { Base64URL.encode($0) }
        return [
            JSONField(name: PostbackField.jwsString.rawValue, value: .string(parts.joined(separator: "."))),
            JSONField(name: PostbackField.conversionValue.rawValue, value: .integer(20)),
        ].json
    }()

    private static func sample(_ field: PostbackField) -> JSONValue {
        switch (field, field.type) {
        case (.sourceIdentifier, _): .string("5239")
        case (.conversionType, _): .string(ConversionType.download.rawValue)
        case (_, .string): .string("example123.skadnetwork")
        case (_, .number): .integer(1)
        case (_, .boolean): .bool(true)
        }
    }
}
