import AttributionConsole
import AttributionIngest
import AttributionListener
import AttributionStore
import FoundationEssentials
import PostgreSQLStore
import SQLiteStore

extension Server {
    /// The metrics that are read on request rather than counted.
    static func collectors(
        _ configuration: ServerConfiguration,
        _ store: StoreLocation,
        _ ledger: any LedgerWriting,
        _ ingestor: Ingestor,
        _ tls: IngressTLS?
    ) -> [PrometheusCollector] {
        let versions = [
            ("version", configuration.programVersion), ("swift", swiftVersion),
            ("sqlite", SQLiteLedgerReader.sqliteVersion),
        ]
        return [
            { [PrometheusSample("skan_build_info", 1, labels: versions)] },
            ProcessFigures.collect,
            { [PrometheusSample("skan_ingest_queue_depth", Double(ingestor.queueDepth))] },
            {
                ledger.lastRecordedAtMilliseconds.map {
                    [PrometheusSample("skan_last_recorded_timestamp_seconds", Double($0) / 1_000)]
                } ?? []
            },
            {
                guard case .file(let path) = store else {
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
