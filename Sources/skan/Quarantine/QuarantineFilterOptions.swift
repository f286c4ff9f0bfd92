import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
package import AttributionStore
import Foundation
import StrictJSON

/// The deliveries in quarantine that a command applies to; all of them without any option.
struct QuarantineFilterOptions: ParsableArguments {
    @Option(name: .customLong("class"), help: "garbage, forged, conflict, unknown or future.")
    var kind: QuarantineClass?

    @Option(
        help: "malformed, unknown-version, unknown-key, not-understood, invalid-signature or conflict.",
        completion: .quarantineReasons)
    var reason: String?

    @Option(help: "Only this delivery.")
    var id: Int64?

    @Option(help: "Received before this day or time (UTC): 2026-11-01 or 2026-11-01T12:30:00Z.")
    var before: String?

    @Option(help: "Received longer ago than this: 90d or 36h.")
    var olderThan: String?

    /// The query for the selected deliveries.
    func query(limit: Int, now: Date = Date()) throws -> QuarantineQuery {
        if let reason, !QuarantineQuery.reasons.contains(reason) {
            throw FieldProblem(
                field: "reason", found: reason.quotedIfEmpty.shortened(to: 40),
                expected: "one of \(QuarantineQuery.reasons.joined(separator: ", "))"
                    + QuarantineQuery.reasons.suggestion(for: reason))
        }
        guard before == nil || olderThan == nil else {
            throw CommandFailure("found --before and --older-than, expected one of them", hint: "skan help quarantine")
        }
        var moment = try before.map { try Moment($0, field: "before").milliseconds }
        if let olderThan {
            moment = max(0, Int64(now.timeIntervalSince1970) * 1000 - (try Self.milliseconds(olderThan)))
        }
        return QuarantineQuery(kind: kind, reason: reason, id: id, before: moment, limit: limit)
    }

    private static func milliseconds(_ age: String) throws -> Int64 {
        let units: [Character: Int64] = ["d": 86_400_000, "h": 3_600_000]
        guard let unit = age.last.flatMap({ units[$0] }), let count = Int64(age.dropLast()),
            (0...36_500).contains(count)
        else {
            throw FieldProblem(
                field: "older-than", found: age.quotedIfEmpty.shortened(to: 40),
                expected: "days or hours, for example 90d or 36h")
        }
        return count * unit
    }
}

extension QuarantineClass: ExpressibleByArgument {}

/// The quarantine, read a page at a time to bound memory.
struct QuarantinePages {
    private let reader: any LedgerReading
    private let query: QuarantineQuery

    /// Bodies of up to 16 KiB: some megabytes.
    private static let size = 256

    /// Makes the pages of a query, whose limit is that of all pages together.
    init(_ reader: any LedgerReading, _ query: QuarantineQuery) {
        self.reader = reader
        self.query = query
    }

    /// Calls a closure with each page, in the order of the ids.
    func forEach(_ use: ([QuarantinedDelivery]) throws -> Void) async throws {
        var page = query
        var pending = query.limit
        while pending > 0 {
            page.limit = min(pending, Self.size)
            let deliveries = try await reader.quarantine(page)
            guard let last = deliveries.last else {
                return
            }
            try use(deliveries)
            page.after = last.id
            pending -= deliveries.count
        }
    }
}
