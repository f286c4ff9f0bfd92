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
    private struct Kind: Hashable {
        let status: Recording.Status
        var reason: PostbackRejection.Code?
        var provenance: Provenance?

        static let all =
            [Recording.Status.recorded, .duplicate, .conflict].flatMap { status in
                Provenance.allCases.map { Kind(status: status, provenance: $0) }
            } + PostbackRejection.Code.allCases.map { Kind(status: .quarantined, reason: $0) }

        init(status: Recording.Status, reason: PostbackRejection.Code? = nil, provenance: Provenance? = nil) {
            (self.status, self.reason, self.provenance) = (status, reason, provenance)
        }

        init(_ recording: Recording) {
            status = recording.status
            switch recording {
            case .recorded(let traffic), .duplicate(let traffic), .conflict(let traffic, _):
                provenance = traffic.provenance
            case .quarantined(let rejection, _): reason = rejection.code
            }
        }

        /// The labels of `skan_deliveries_total`; empty if they do not apply.
        var labels: [(String, String)] {
            [
                ("status", status.rawValue), ("reason", reason?.rawValue ?? ""),
                ("provenance", provenance?.rawValue ?? ""),
            ]
        }
    }

    private let counters: [Counter]
    private let commitTime: Timer

    init(factory: any MetricsFactory) {
        counters = Kind.all.map {
            Counter(label: "skan_deliveries_total", dimensions: $0.labels, factory: factory)
        }
        commitTime = Timer(label: "skan_ingest_commit_seconds", factory: factory)
    }

    /// Counts a batch, incrementing each counter at most once.
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
        let conversion: String
    }

    private let factory: any MetricsFactory
    private var counters: [Key: Counter] = [:]
    private var apps: Set<AppStoreItemID> = []

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts what a batch recorded.
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
            count(Key(app: app, conversion: conversion.label))
        }
    }

    private mutating func count(_ key: Key) {
        if let counter = counters[key] {
            return counter.increment()
        }
        let isNamed = apps.contains(key.app) || apps.count < Self.bound
        let counter = Counter(
            label: "skan_app_postbacks_total",
            dimensions: [("app", isNamed ? "\(key.app)" : "other"), ("conversion", key.conversion)], factory: factory
        )
        counter.increment()
        if isNamed {
            apps.insert(key.app)
            counters[key] = counter
        }
    }
}

extension Conversion {
    /// What kind of value it is, without the value.
    fileprivate var label: String {
        switch self {
        case .fine: "fine"
        case .coarse: "coarse"
        case .null, .absent, .invalid: description
        }
    }
}
