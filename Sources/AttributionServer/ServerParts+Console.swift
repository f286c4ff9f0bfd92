import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionForwarding
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Synchronization

/// What the console shows.
extension ServerParts {
    /// The routes of the console and of the socket beside the store.
    func makeRoutes() -> [any ConsoleRoutes] {
        let metricsRoutes = MetricsRoutes(metrics, collectors: collectors)
        guard let recording else {
            return [
                HealthRoutes(readiness: { signingHealth }, remarks: { signerProblems }),
                APIDescriptionRoutes(), metricsRoutes,
            ]
        }
        return [
            HealthRoutes(readiness: { recording.storage.health }, remarks: { signerProblems }),
            APIDescriptionRoutes(),
            ReportRoutes(logger: logger, queue: reportQueue) {
                try await reporter(recording).report($0, limits: $1)
            } standardReport: {
                try await standardReport($0, $1, recording)
            },
            metricsRoutes,
            WebAdRoutes(issuer: recording.storage.webAds?.issuer, logger: logger),
            ExplainRoutes(postbacks: recording.explainer, logger: logger),
            StoreRoutes(reader: recording.storage.reader, maintenance: recording.maintenance, logger: logger),
            CostRoutes(maintenance: recording.maintenance, logger: logger),
            DestinationRoutes(logger: logger) { name, state in
                try recording.forwarder?.setState(of: name, to: state)
                    ?? recording.storage.destinations.setState(of: name, to: state)
            },
        ]
    }

    /// The console's pages.
    func makePages(_ recording: Recording) -> PageRoutes {
        let reporter = reporter(recording)
        var sources = PageSources(
            reader: recording.storage.reader, requeue: { try await recording.maintenance.requeue($0) },
            explain: { recording.explainer.explain($0.bytes, receivedAt: $0.receivedAtMilliseconds).lines },
            health: { health(recording) }, keys: { keys },
            report: { try await self.reporter(recording).report($0, limits: $1) },
            standardReport: { try await standardReport($0, $1, recording) },
            findings: { try await reporter.findings(today: $0, traffic: $1, limits: $2) },
            version: configuration.programVersion)
        sources.traffic = configuration.pageTraffic
        return PageRoutes(sources, access: access, sessions: sessions, queue: reportQueue, logger: logger)
    }

    private func reporter(_ recording: Recording) -> Reporter {
        Reporter(
            recording.storage.reader, programVersion: configuration.programVersion,
            references: references?.references ?? ReportReferences())
    }

    private func standardReport(
        _ request: StandardReportRequest, _ limits: LedgerLimits, _ recording: Recording
    ) async throws -> StandardReport {
        try await reporter(recording)
            .report(request, limits: limits, isRecording: recording.storage.ledger.health == .ready)
    }

    // MARK: Health

    /// Whether a server that does nothing but sign can sign at all: with one key that can be used, it is of use.
    private var signingHealth: StoreHealth {
        guard let signer = signer?.signer, !signer.hasOwnKey,
            externalSigners.presence.allSatisfy({ !$0.isPresent })
        else {
            return .ready
        }
        return .failing(
            reason: "no external signer answers, and there is no other key", hint: "start it; skan doctor says more")
    }

    /// What an operator should know of a server that is ready: the others must not lose it to a signer that is away.
    ///
    /// Only counts, because anyone may ask; the log and `skan doctor` name the sockets and keys.
    private var signerProblems: [String] {
        let presence = externalSigners.presence
        let away = presence.count { !$0.isPresent }
        let verdicts = externalSigners.verdicts
        let unusable = verdicts.count { _, verdict in
            switch verdict {
            case .success, .failure(.away): false
            case .failure: true
            }
        }
        return [
            away == 0 ? nil : "\(away) of \(presence.count) external signers \(away == 1 ? "is" : "are") away",
            unusable == 0 ? nil : "\(unusable) of \(verdicts.count) keys of external signers cannot be used",
        ].compactMap(\.self)
    }

    private func health(_ recording: Recording) -> ServerHealth {
        let storage = recording.storage
        var health = ServerHealth(
            nowMilliseconds: Self.milliseconds(Date()), store: storage.location.name, recording: storage.health)
        health.startedAtMilliseconds = Self.milliseconds(started)
        health.lastRecordedAtMilliseconds = storage.ledger.lastRecordedAtMilliseconds
        health.deliveriesPerSecond = rate.perSecond(at: .now)
        health.answers = metrics.counts(of: "skan_ingress_requests_total", by: "status")
            .map { (status: $0.key, count: $0.value) }.sorted { $0.status < $1.status }
        health.waiting = recording.ingestor.queueDepth
        health.signerProblems = signerProblems
        health.countsEveryNetwork = configuration.networks.isEmpty
        health.certificateEndMilliseconds = tls.map { Self.milliseconds($0.notValidAfter) }
        health.parts = storage.location.sizes
        health.disk = storage.location.disk.map { ($0.free, $0.all) }
        return health
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970 * 1000)
    }

    /// The keys in use, by name.
    private var keys: [KeysPage.Key] {
        let apple = (recording?.appleKeys.verifier.appleKeys ?? []).map { key in
            KeysPage.Key(
                name: key.name, purpose: key.isAdded ? "added; verifies postbacks" : "built in; verifies postbacks",
                detail: key.summary)
        }
        let test = testKeys.map { key in
            KeysPage.Key(
                name: PostbackVerificationKey.test(key).name, purpose: "verifies test postbacks",
                detail: "SHA256:\(key.fingerprint)")
        }
        let signing = (signer?.signer.networks ?? []).map { network in
            let versions = network.versions.map(\.rawValue).joined(separator: ", ")
            return KeysPage.Key(
                name: network.adNetworkID.text, purpose: "signs impressions",
                detail: "SKAdNetwork \(versions)" + (network.signsForAdAttributionKit ? " and AdAttributionKit" : ""))
        }
        return apple + test + signing
    }

    // MARK: Metrics

    /// The metrics that are read on request rather than counted.
    private var collectors: [PrometheusCollector] {
        let versions = [
            ("version", configuration.programVersion), ("swift", Server.swiftVersion),
            ("sqlite", SQLiteLedgerReader.sqliteVersion),
        ]
        @Sendable func sample(_ name: String, _ value: Double?) -> [PrometheusSample] {
            value.map { [PrometheusSample(name, $0)] } ?? []
        }
        return [
            { [PrometheusSample("skan_build_info", 1, labels: versions)] },
            ProcessFigures.collect,
            { sample("skan_ingest_queue_depth", recording.map { Double($0.ingestor.queueDepth) }) },
            { sample("skan_signing_queue_depth", signing.map { Double($0.queueDepth) }) },
            {
                externalSigners.presence.map {
                    PrometheusSample("skan_external_signer_up", $0.isPresent ? 1 : 0, labels: [("signer", $0.socket)])
                }
            },
            {
                let recordedAt = recording?.storage.ledger.lastRecordedAtMilliseconds
                return sample("skan_last_recorded_timestamp_seconds", recordedAt.map { Double($0) / 1_000 })
            },
            {
                (recording?.storage.location.sizes ?? []).map {
                    PrometheusSample("skan_store_bytes", Double($0.bytes), labels: [("part", $0.name)])
                }
            },
            { recording?.forwarder?.status.samples ?? [] },
            {
                sample("skan_tls_certificate_expiry_timestamp_seconds", tls?.notValidAfter.timeIntervalSince1970)
            },
        ]
    }
}

extension ForwardingStatus {
    fileprivate var samples: [PrometheusSample] {
        destinations.flatMap { backlog in
            let destination = backlog.destination
            let figures: [(name: String, value: Double?)] = [
                ("skan_destination_up", destination.condition == "running" ? 1 : 0),
                ("skan_destination_backlog", Double(backlog.count)),
                ("skan_destination_oldest_timestamp_seconds", backlog.oldestAt.map { Double($0) / 1_000 }),
                ("skan_destination_waiting", Double(destination.waitingCount)),
                ("skan_destination_parked", Double(destination.parkedCount)),
                (
                    "skan_destination_last_success_timestamp_seconds",
                    destination.lastSuccessAt.map { Double($0) / 1_000 }
                ),
            ]
            return figures.compactMap { figure in
                figure.value.map {
                    PrometheusSample(figure.name, $0, labels: [("destination", destination.name)])
                }
            }
        } + (heldSince.map { [PrometheusSample("skan_feed_held_timestamp_seconds", Double($0) / 1_000)] } ?? [])
    }
}

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
