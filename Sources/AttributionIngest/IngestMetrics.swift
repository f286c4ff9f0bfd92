import Attribution
import Metrics

/// Counts committed deliveries and measures the time to their commit.
///
/// - `skan_deliveries_total{status,reason,provenance}`: deliveries by result.
/// - `skan_ingest_commit_seconds`: the time from the receipt of a batch's oldest body to the commit.
///
/// The labels are a closed set, so all counters are created at the start: rates are right from the first sample on, and
/// recording creates none.
struct IngestMetrics {
    /// The kind of a delivery, by which it is counted.
    enum Kind: Hashable {
        case verified(Recording.Status, Provenance)
        case quarantined(PostbackRejection.Code)

        /// The kind of a recording.
        init(_ recording: Recording) {
            switch recording {
            case .recorded(let traffic), .duplicate(let traffic), .conflict(let traffic, _):
                self = .verified(recording.status, traffic.provenance)
            case .quarantined(let rejection, _):
                self = .quarantined(rejection.code)
            }
        }

        /// Every kind.
        static let all =
            [Recording.Status.recorded, .duplicate, .conflict].flatMap { status in
                Provenance.allCases.map { Kind.verified(status, $0) }
            } + PostbackRejection.Code.allCases.map { .quarantined($0) }

        /// The labels of `skan_deliveries_total`; empty if they do not apply.
        var labels: [(String, String)] {
            let (status, reason, provenance) =
                switch self {
                case .verified(let status, let provenance): (status, "", provenance.rawValue)
                case .quarantined(let code): (Recording.Status.quarantined, code.rawValue, "")
                }
            return [("status", status.rawValue), ("reason", reason), ("provenance", provenance)]
        }
    }

    private let counters: [Counter]
    private let commitTime: Timer

    /// Creates the counters and the timer.
    init(factory: any MetricsFactory) {
        counters = Kind.all.map {
            Counter(label: "skan_deliveries_total", dimensions: $0.labels, factory: factory)
        }
        commitTime = Timer(label: "skan_ingest_commit_seconds", factory: factory)
    }

    /// Counts a batch, incrementing each counter at most once.
    ///
    /// - Parameters:
    ///   - recordings: The result of each delivery; if empty, nothing was committed.
    ///   - duration: The time from the receipt of the first delivery to the commit.
    func didCommit(_ recordings: [Recording?], after duration: Duration) {
        guard !recordings.isEmpty else {
            return
        }
        commitTime.record(duration: duration)
        var counts = Array(repeating: 0, count: counters.count)
        var latest = 0
        for case let recording? in recordings {
            let kind = Kind(recording)
            // Most deliveries have the same kind as the previous one.
            if Kind.all[latest] != kind {
                guard let index = Kind.all.firstIndex(of: kind) else { continue }
                latest = index
            }
            counts[latest] += 1
        }
        for (counter, count) in zip(counters, counts) where count > 0 {
            counter.increment(by: count)
        }
    }
}

/// Counts the recorded production postbacks of each app, so that a drought of one app is seen behind the rest.
///
/// - `skan_app_postbacks_total{app,conversion}`: `conversion` is `fine`, `coarse`, `null`, `absent` or `invalid`.
///
/// Only genuine postbacks make a series, and no more than ``bound`` apps have one of their own.
struct AppMetrics {
    /// How many apps have series of their own; those that come later share `other`.
    static let bound = 1_000

    private struct Key: Hashable {
        let app: AppStoreItemID
        let kind: Conversion.Kind
    }

    private let factory: any MetricsFactory
    private var counters: [Key: Counter] = [:]
    private var apps: Set<AppStoreItemID> = []

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts what a batch recorded.
    ///
    /// - Parameters:
    ///   - deliveries: The batch.
    ///   - recordings: What became of each.
    mutating func didCommit(_ deliveries: [Delivery], _ recordings: [Recording?]) {
        for (delivery, recording) in zip(deliveries, recordings) {
            guard case .recorded(.apple)? = recording, case .verified(let verified) = delivery.judgement else {
                continue
            }
            let (app, conversion) =
                switch verified.postback {
                case .skAdNetwork(let postback): (postback.appID, postback.conversion)
                case .adAttributionKit(let postback): (postback.advertisedItemID, postback.conversion)
                }
            count(Key(app: app, kind: conversion.kind))
        }
    }

    private mutating func count(_ key: Key) {
        if let counter = counters[key] {
            return counter.increment()
        }
        let isNamed = apps.contains(key.app) || apps.count < Self.bound
        let counter = Counter(
            label: "skan_app_postbacks_total",
            dimensions: [("app", isNamed ? "\(key.app)" : "other"), ("conversion", key.kind.rawValue)], factory: factory
        )
        counter.increment()
        if isNamed {
            apps.insert(key.app)
            counters[key] = counter
        }
    }
}

extension Conversion {
    fileprivate enum Kind: String {
        case fine, coarse, null, absent, invalid
    }

    /// What kind of value it is, without the value.
    fileprivate var kind: Kind {
        switch self {
        case .fine: .fine
        case .coarse: .coarse
        case .null: .null
        case .absent: .absent
        case .invalid: .invalid
        }
    }
}
