import Attribution
import Metrics

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
