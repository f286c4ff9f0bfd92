import Attribution
public import AttributionStore
import Foundation

/// Answers report requests from a ledger.
public struct Reporter: Sendable {
    private let ledger: LedgerReader

    /// Makes a reporter.
    public init(_ ledger: LedgerReader) {
        self.ledger = ledger
    }

    /// Answers a request.
    ///
    /// - Throws: What the store reports.
    public func report(_ request: ReportRequest) async throws -> Report {
        let range = Self.range(request)
        var query = TallyQuery(
            dimensions: request.dimensions.filter { $0 != .day },
            filters: request.filters,
            received: range,
            traffic: request.traffic
        )
        var rows: [TallyRow] = []
        if let place = request.dimensions.firstIndex(of: .day) {
            // A day at a time: so days of every time zone are exact, and those of UTC are read from the tallies.
            for day in try await days(request, range) {
                query.received = day.start(in: request.timeZone)..<day.next.start(in: request.timeZone)
                for row in try await ledger.tallies(query) where row.metrics[.postbacks] > 0 {
                    var values = row.values
                    values.insert(day.description, at: place)
                    rows.append(TallyRow(values: values, metrics: row.metrics))
                }
            }
        } else {
            rows = try await ledger.tallies(query).filter { $0.metrics[.postbacks] > 0 }
        }
        rows.sort { Self.areInOrder($0.values, $1.values) }
        return Report(request: request, rows: rows, deliveries: try await ledger.deliveries(received: range))
    }

    /// The moments asked for, or nil for all; open ends lie on UTC midnights far outside the product's life.
    private static func range(_ request: ReportRequest) -> Range<Int64>? {
        guard request.from != nil || request.through != nil else {
            return nil
        }
        let lower = request.from?.start(in: request.timeZone) ?? 0
        let upper = request.through?.next.start(in: request.timeZone) ?? 4_102_444_800_000  // 2100-01-01
        return lower..<max(lower, upper)
    }

    /// The days asked for on which something may have been received.
    private func days(_ request: ReportRequest, _ range: Range<Int64>?) async throws -> [CalendarDay] {
        guard let bounds = try await ledger.receiptBounds(request.traffic) else {
            return []
        }
        let first = max(bounds.lowerBound, range?.lowerBound ?? bounds.lowerBound)
        let last = min(bounds.upperBound, range.map { $0.upperBound - 1 } ?? bounds.upperBound)
        guard first <= last else {
            return []
        }
        let end = CalendarDay(containing: last, in: request.timeZone)
        return Array(
            sequence(first: CalendarDay(containing: first, in: request.timeZone)) { $0 < end ? $0.next : nil })
    }

    /// Numbers by size, other texts by their characters, so that campaign 9 stands before campaign 10.
    private static func areInOrder(_ lhs: [String], _ rhs: [String]) -> Bool {
        for (left, right) in zip(lhs, rhs) where left != right {
            if let left = Int64(left), let right = Int64(right), left != right {
                return left < right
            }
            return left < right
        }
        return false
    }
}
