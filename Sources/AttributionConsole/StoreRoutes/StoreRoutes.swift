import Attribution
package import AttributionIngest
import AttributionListener
package import AttributionStore
import FoundationEssentials
package import Logging
package import StrictJSON

/// Reading and changing the store: the quarantine, recorded postbacks, recount and repair.
package struct StoreRoutes: ConsoleRoutes {
    private let reader: any LedgerReading
    private let maintenance: StoreMaintenance
    /// A recount takes a core for minutes, and each as much memory.
    private let recounts: JobQueue
    private let logger: Logger
    private let failures: RouteFailures

    package init(
        reader: any LedgerReading, maintenance: StoreMaintenance,
        recounts: JobQueue = JobQueue("one recount is running"), logger: Logger
    ) {
        self.reader = reader
        self.maintenance = maintenance
        self.recounts = recounts
        self.logger = logger
        failures = RouteFailures("the store failed", unexpected: .storeFailed, logger: logger)
    }

    /// `/v1/quarantine`, `/v1/quarantine/requeue`, `/v1/quarantine/prune`, `/v1/postbacks` and `/v1/recount`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.quarantine) { request, _ in await answer { try await quarantine(request) } },
            ConsoleEndpoint(.postbacks) { request, context in await postbacks(request, context) },
            ConsoleEndpoint(.requeue) { request, context in
                await answer { try await requeue(Self.body(of: request), context) }
            },
            ConsoleEndpoint(.prune) { request, context in
                await answer { try await prune(Self.body(of: request), context) }
            },
            ConsoleEndpoint(.recount) { request, context in
                await answer { try await recount(Self.body(of: request), context) }
            },
        ]
    }

    // MARK: Reading

    private func quarantine(_ request: IngressRequest) async throws -> JSONText {
        let query = try QuarantineQuery(
            listing: RequestParameters(query: request, known: QuarantineQuery.filters + ["after", "limit"]))
        let deliveries = try await reader.quarantine(query)
        return .object([
            "totals": .array(try await reader.quarantineTotals().map(\.json)),
            "deliveries": .array(deliveries.map(\.json)),
            "next": Self.next(deliveries.last?.id, isFull: deliveries.count == query.limit),
        ])
    }

    private func postbacks(_ request: IngressRequest, _ context: ConsoleContext) async -> IngressAnswer {
        do {
            guard let lines = try PostbackLines(request, context, reader) else {
                return .json(try await listing(request))
            }
            return try await lines.answer()
        } catch {
            return failures.answer(to: error, in: context)
        }
    }

    private func listing(_ request: IngressRequest) async throws -> JSONText {
        let query = try PostbackQuery(
            listing: RequestParameters(
                query: request, known: ["format", "transaction-id", "from", "to", "after", "limit"]))
        let postbacks = try await reader.postbacks(query)
        return .object([
            "postbacks": .array(postbacks.map(\.json)),
            "next": Self.next(postbacks.last?.id, isFull: postbacks.count == query.limit),
        ])
    }

    /// The value of `after` for the next page; null when there is none.
    private static func next(_ last: Int64?, isFull: Bool) -> JSONText {
        isFull ? last.map { .integer($0) } ?? .null : .null
    }

    // MARK: Changing

    private func requeue(_ body: [UInt8], _ context: ConsoleContext) async throws -> JSONText {
        let parameters = try RequestParameters(
            reading: body, known: QuarantineQuery.filters + ["limit"])
        let result = try await maintenance.requeue(try QuarantineQuery(changing: parameters))
        note("quarantine judged again", context, ["judged": "\(result.judged)", "recorded": "\(result.recorded)"])
        return .object([
            "status": .string("done"),
            "judged": .integer(result.judged),
            "recorded": .integer(result.recorded),
            "duplicate": .integer(result.duplicate),
            "conflict": .integer(result.conflict),
            "stayed": .integer(result.stayed),
        ])
    }

    private func prune(_ body: [UInt8], _ context: ConsoleContext) async throws -> JSONText {
        let parameters = try RequestParameters(
            reading: body, known: QuarantineQuery.filters + ["limit"])
        guard parameters.has(anyOf: QuarantineQuery.filters) else {
            throw FieldProblem(
                field: "filters", found: "none",
                expected: "one or more of \(QuarantineQuery.filters.joined(separator: ", ")); "
                    + "without any, everything would be deleted")
        }
        let deleted = try await maintenance.prune(try QuarantineQuery(changing: parameters))
        note("quarantine pruned", context, ["deleted": "\(deleted)"])
        return .object(["status": .string("done"), "deleted": .integer(deleted)])
    }

    private func recount(_ body: [UInt8], _ context: ConsoleContext) async throws -> JSONText {
        let repairs = try RequestParameters(reading: body, known: ["repair"]).flag("repair")
        let outcome = try await recounts.run {
            repairs
                ? RecountOutcome(try await maintenance.repair()) : RecountOutcome(try await maintenance.recount())
        }
        note(
            repairs ? "store repaired" : "store recounted", context,
            ["found": "\(outcome.found)", "remaining": "\(outcome.remaining)"])
        return outcome.json
    }

    private func note(_ change: Logger.Message, _ context: ConsoleContext, _ metadata: Logger.Metadata) {
        logger.notice(change, metadata: metadata.merging(["token": "\(context.caller?.name ?? "none")"]) { $1 })
    }

    // MARK: Answering

    private static func body(of request: IngressRequest) throws(Refusal) -> [UInt8] {
        try request.body(upTo: JSONObject.maximumLength)
    }

    private func answer(_ work: () async throws -> JSONText) async -> IngressAnswer {
        do {
            return .json(try await work())
        } catch {
            return failures.answer(to: error)
        }
    }
}

extension Refusal {
    /// The answer when the store fails for an unknown reason.
    static let storeFailed = Refusal(.storeFailed, "the store does not answer; the server's log says why")
}

/// The outcome of a recount or a repair, as an answer of the console.
package struct RecountOutcome: Sendable, Codable, Equatable {
    /// Recorded postbacks read again.
    package let postbacks: Int64
    /// Those whose signature was verified again.
    package let verified: Int64
    /// Test postbacks whose key is not trusted.
    package let unverifiedTest: Int64
    package let found: Int64
    package let repaired: Int64
    package let remaining: Int64
    /// Descriptions of those found; at most ten thousand.
    package let differences: [String]
    /// Descriptions of those that remain; at most ten thousand.
    package let remainingDifferences: [String]

    private enum CodingKeys: String, CodingKey {
        case postbacks, verified, found, repaired, remaining, differences
        case unverifiedTest = "unverified-test"
        case remainingDifferences = "remaining-differences"
    }

    /// The outcome of a recount, which changed nothing.
    package init(_ recount: Recount) {
        self.init(found: recount, repaired: 0, remaining: recount)
    }

    package init(_ repair: RecountRepair) {
        self.init(found: repair.found, repaired: repair.repaired, remaining: repair.remaining)
    }

    private init(found: Recount, repaired: Int64, remaining: Recount) {
        postbacks = remaining.postbacks
        verified = remaining.verified
        unverifiedTest = remaining.unverifiedTest
        self.found = found.differenceCount
        self.repaired = repaired
        self.remaining = remaining.differenceCount
        differences = found.differences.map(\.description)
        remainingDifferences = remaining.differences.map(\.description)
    }

    var json: JSONText {
        .object([
            "status": .string("done"),
            "postbacks": .integer(postbacks),
            "verified": .integer(verified),
            "unverified-test": .integer(unverifiedTest),
            "found": .integer(found),
            "repaired": .integer(repaired),
            "remaining": .integer(remaining),
            "differences": .array(differences.map(JSONText.string)),
            "remaining-differences": .array(remainingDifferences.map(JSONText.string)),
        ])
    }
}

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
