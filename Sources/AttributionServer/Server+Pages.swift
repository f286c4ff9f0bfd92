import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import FoundationEssentials
import PostgreSQLStore
import SQLiteStore
import Synchronization

extension Server {
    /// How fast deliveries come, as the heartbeat reads it.
    final class DeliveryRate: Sendable {
        private let metrics: PrometheusMetrics
        private let rate = Mutex(RecentRate())

        init(_ metrics: PrometheusMetrics) {
            self.metrics = metrics
        }

        /// Takes a reading.
        func note(at now: ContinuousClock.Instant) {
            let count = metrics.counts(of: "skan_deliveries_total", by: "status").values.reduce(0, +)
            rate.withLock { $0.note(count, at: now) }
        }

        /// Deliveries a second.
        func perSecond(at now: ContinuousClock.Instant) -> Double? {
            rate.withLock { $0.perSecond(at: now) }
        }
    }

    /// What pages show of the server's health.
    static func health(
        _ storage: ServerStorage,
        _ ingestor: Ingestor,
        _ tls: IngressTLS?,
        _ externalSigners: ExternalSigners,
        _ metrics: PrometheusMetrics,
        _ rate: DeliveryRate
    ) -> @Sendable () -> ServerHealth {
        let (store, ledger, webAds) = (storage.location, storage.ledger, storage.webAds)
        let started = Date()
        return {
            var health = ServerHealth(
                nowMilliseconds: milliseconds(Date()), store: store.name, recording: recording(ledger, webAds))
            health.startedAtMilliseconds = milliseconds(started)
            health.lastRecordedAtMilliseconds = ledger.lastRecordedAtMilliseconds
            health.deliveriesPerSecond = rate.perSecond(at: .now)
            health.answers = metrics.counts(of: "skan_ingress_requests_total", by: "status")
                .map { (status: $0.key, count: $0.value) }.sorted { $0.status < $1.status }
            health.waiting = ingestor.queueDepth
            health.signerProblems = absences(externalSigners)
            health.certificateEndMilliseconds = tls.map { milliseconds($0.notValidAfter) }
            if case .file(let path) = store {
                health.parts = StorePart.allCases.compactMap { part in
                    part.bytes(ofStore: path).map { (name: part.rawValue, bytes: $0) }
                }
                health.disk = disk(of: path)
            }
            return health
        }
    }

    /// Whether postbacks can be recorded, and web ads answered.
    static func recording(_ ledger: any LedgerWriting, _ webAds: WebAds?) -> StoreHealth {
        let health = ledger.health
        guard health == .ready, let ofWebAds = webAds?.health, let reason = ofWebAds.reason else { return health }
        return .failing(reason: "web ads: \(reason)", hint: ofWebAds.hint)
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970 * 1000)
    }

    /// The free bytes of a file's file system, and all of them.
    private static func disk(of path: String) -> (free: Int64, all: Int64)? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let figures = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let free = (figures[.systemFreeSize] as? NSNumber)?.int64Value,
            let all = (figures[.systemSize] as? NSNumber)?.int64Value
        else {
            return nil
        }
        return (free, all)
    }

    /// What the console's pages are made from.
    static func pageSources(
        _ configuration: ServerConfiguration,
        _ reader: any LedgerReading,
        _ maintenance: StoreMaintenance,
        _ explainer: PostbackExplainer,
        _ references: CurrentReferences?,
        health: @escaping @Sendable () -> ServerHealth,
        keys: @escaping @Sendable () -> [KeysPage.Key]
    ) -> PageSources {
        let reporter = Reporter(reader, programVersion: configuration.programVersion)
        return PageSources(
            reader: reader, requeue: { try await maintenance.requeue($0) },
            explain: { explainer.explain($0).lines }, health: health, keys: keys,
            report: { try await reporter.report($0, limits: $1) },
            standardReport: {
                let reporter = Reporter(
                    reader, programVersion: configuration.programVersion,
                    references: references?.references ?? ReportReferences())
                return try await reporter.report($0, limits: $1, isRecording: health().recording == .ready)
            },
            findings: { try await reporter.findings(today: $0, traffic: $1, limits: $2) },
            version: configuration.programVersion)
    }

    /// The keys in use, by name.
    static func keys(
        _ testKeys: [SignaturePublicKey],
        _ signer: CurrentSigner?
    ) -> @Sendable () -> [KeysPage.Key] {
        let verifying =
            [
                KeysPage.Key(
                    name: "Apple's keys", purpose: "verify postbacks", detail: "built in: production and development")
            ]
            + testKeys.map { key in
                KeysPage.Key(
                    name: PostbackVerificationKey.test(key).name, purpose: "verifies test postbacks",
                    detail: "SHA256:\(key.fingerprint)")
            }
        return {
            let signing = (signer?.signer.networks ?? []).map { network in
                let versions = network.versions.map(\.rawValue).joined(separator: ", ")
                return KeysPage.Key(
                    name: network.adNetworkID.text, purpose: "signs impressions",
                    detail: "SKAdNetwork \(versions)"
                        + (network.signsForAdAttributionKit ? " and AdAttributionKit" : ""))
            }
            return verifying + signing
        }
    }
}

extension Server {
    /// The metrics that are read on request rather than counted.
    static func collectors(
        _ configuration: ServerConfiguration,
        _ storage: ServerStorage?,
        _ ingestor: Ingestor?,
        _ signing: SigningService?,
        _ externalSigners: ExternalSigners,
        _ tls: IngressTLS?
    ) -> [PrometheusCollector] {
        let versions = [
            ("version", configuration.programVersion), ("swift", swiftVersion),
            ("sqlite", SQLiteLedgerReader.sqliteVersion),
        ]
        return [
            { [PrometheusSample("skan_build_info", 1, labels: versions)] },
            ProcessFigures.collect,
            { ingestor.map { [PrometheusSample("skan_ingest_queue_depth", Double($0.queueDepth))] } ?? [] },
            { signing.map { [PrometheusSample("skan_signing_queue_depth", Double($0.queueDepth))] } ?? [] },
            {
                externalSigners.presence.map {
                    PrometheusSample("skan_external_signer_up", $0.isPresent ? 1 : 0, labels: [("signer", $0.socket)])
                }
            },
            {
                storage?.ledger.lastRecordedAtMilliseconds.map {
                    [PrometheusSample("skan_last_recorded_timestamp_seconds", Double($0) / 1_000)]
                } ?? []
            },
            {
                guard case .file(let path)? = storage?.location else {
                    return []
                }
                return StorePart.allCases.compactMap { part in
                    part.bytes(ofStore: path).map {
                        PrometheusSample("skan_store_bytes", Double($0), labels: [("part", part.rawValue)])
                    }
                }
            },
            {
                tls.map {
                    [
                        PrometheusSample(
                            "skan_tls_certificate_expiry_timestamp_seconds", $0.notValidAfter.timeIntervalSince1970)
                    ]
                } ?? []
            },
        ]
    }

    /// The compiler's version, as far as a program can tell.
    package static var swiftVersion: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
