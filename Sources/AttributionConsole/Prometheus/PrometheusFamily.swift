/// A metric's name with its kind and help text.
package struct PrometheusFamily: Hashable, Sendable {
    /// What its values mean.
    package enum Kind: String, Hashable, Sendable {
        case counter, gauge, histogram
    }

    /// The name, as it is exposed.
    package let name: String
    package let kind: Kind
    /// One sentence for people, without backslash and line feed.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// The two lines that come before the samples.
    var header: String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }
}

extension PrometheusFamily {
    /// Every metric; those not declared here are not shown.
    package static let all: [PrometheusFamily] = deliveries + forwarding + listener + signing + console + process

    private static let deliveries: [PrometheusFamily] = [
        .init("skan_deliveries_total", .counter, "Deliveries after their commit, by outcome."),
        .init(
            "skan_delivery_causes_total", .counter,
            "Deliveries with an invalid or misplaced signature, by what their answers say of the cause."),
        .init(
            "skan_app_postbacks_total", .counter,
            "Production postbacks recorded, by advertised app and kind of conversion value."),
        .init("skan_ingest_queue_depth", .gauge, "Bodies waiting for the writer."),
        .init(
            "skan_ingest_commit_seconds", .histogram,
            "Time from the receipt of a batch's oldest body to the batch's commit, observed once per batch."),
        .init(
            "skan_last_recorded_timestamp_seconds", .gauge,
            "Unix time at which a postback was last recorded; repeats and quarantined bodies do not count."),
        .init("skan_quarantine_not_kept_total", .counter, "Bodies for which the quarantine had no room, by class."),
        .init("skan_store_bytes", .gauge, "Size of the store's files, by part."),
        .init("skan_web_ads_issued_total", .counter, "Web ads issued."),
        .init("skan_web_ad_taps_total", .counter, "Taps on web ads, by outcome."),
    ]

    private static let forwarding: [PrometheusFamily] = [
        .init(
            "skan_destination_attempts_total", .counter,
            "Attempts of this process to forward postbacks, by destination and outcome."),
        .init(
            "skan_destination_up", .gauge,
            "Whether a destination is delivered to, 1; 0 when it is paused, gone or takes nothing."),
        .init(
            "skan_destination_backlog", .gauge, "Recorded postbacks behind which a destination is, wanted or not."),
        .init(
            "skan_destination_oldest_timestamp_seconds", .gauge,
            "Unix time at which the first postback was recorded that a destination is behind; absent without any."),
        .init("skan_destination_waiting", .gauge, "Postbacks that a destination did not take and gets again."),
        .init("skan_destination_parked", .gauge, "Postbacks that a destination did not take and does not get again."),
        .init(
            "skan_destination_last_success_timestamp_seconds", .gauge,
            "Unix time at which a destination last took a postback."),
        .init(
            "skan_feed_held_timestamp_seconds", .gauge,
            "Unix time since which a transaction of the database holds postbacks back from the feed; absent without."),
    ]

    private static let listener: [PrometheusFamily] = [
        .init("skan_ingress_requests_total", .counter, "Requests of the public listener, by route and status."),
        .init("skan_ingress_refusals_total", .counter, "Requests that the public listener itself refused, by reason."),
        .init(
            "skan_ingress_connections_total", .counter,
            "New connections of the public listener, by whether they were accepted."),
        .init(
            "skan_ingress_disconnects_total", .counter,
            "Connections of the public listener cut off without an answer, by reason."),
        .init(
            "skan_tls_certificate_expiry_timestamp_seconds", .gauge,
            "Unix time at which the TLS certificate that new connections get, or an intermediate one, expires."),
    ]

    private static let signing: [PrometheusFamily] = [
        .init(
            "skan_signatures_total", .counter,
            "Signatures that were verified and answered, by network and the first digits of the key's fingerprint."),
        .init(
            "skan_signing_faults_total", .counter,
            "Signatures that could not be made or did not verify, and never left the process."),
        .init(
            "skan_external_signatures_total", .counter,
            "Signatures requested from external signers, by the first digits of the key's fingerprint and outcome."),
        .init(
            "skan_external_signature_seconds", .histogram,
            "Time from the request of a signature to the external signer's answer, by key."),
        .init("skan_external_signer_up", .gauge, "Whether the external signer at a socket answers, 1 or 0."),
        .init("skan_signing_queue_depth", .gauge, "Requests waiting to be signed."),
        .init(
            "skan_signing_requests_total", .counter,
            "Requests of the signing listener, by route, status and the token's holder."),
        .init("skan_signing_refusals_total", .counter, "Requests that the signing listener itself refused, by reason."),
        .init(
            "skan_signing_connections_total", .counter,
            "New connections of the signing listener, by whether they were accepted."),
        .init(
            "skan_signing_disconnects_total", .counter,
            "Connections of the signing listener cut off without an answer, by reason."),
    ]

    private static let console: [PrometheusFamily] = [
        .init(
            "skan_console_requests_total", .counter,
            "Requests of the console and of the socket beside the store, by route, status and the token's holder."),
        .init("skan_console_request_seconds", .histogram, "Time that answers of the console take to make."),
        .init("skan_console_refusals_total", .counter, "Requests the console's listener itself refused, by reason."),
        .init(
            "skan_console_connections_total", .counter,
            "New connections of the console, by whether they were accepted."),
        .init(
            "skan_console_disconnects_total", .counter,
            "Connections of the console cut off without an answer, by reason."),
    ]

    private static let process: [PrometheusFamily] = [
        .init("skan_build_info", .gauge, "Always 1; the labels name the versions the process was built with."),
        .init("process_start_time_seconds", .gauge, "Unix time at which the process was started."),
        .init("process_cpu_seconds_total", .counter, "Processor time the process has used, its own and the system's."),
        .init("process_resident_memory_bytes", .gauge, "Memory of the process that is resident."),
        .init("process_open_fds", .gauge, "File descriptors that are open."),
        .init("process_max_fds", .gauge, "File descriptors that may be open."),
    ]
}
