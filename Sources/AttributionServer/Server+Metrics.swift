import AttributionConsole
import AttributionIngest
import AttributionListener
import AttributionStore
import ExternalSigning
import FoundationEssentials
import PostgreSQLStore
import SQLiteStore

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
