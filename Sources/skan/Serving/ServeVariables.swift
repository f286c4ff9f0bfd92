import StrictJSON

/// The environment of `skan serve`: a misspelled setting is an error, because it would otherwise be silently ignored.
enum ServeVariables {
    /// The settings, as ``ServeSettings`` reads them.
    private static let settings = [
        "SKAN_STORE", "SKAN_LISTEN", "SKAN_SIGNING", "SKAN_SIGNING_PLAIN_HTTP", "SKAN_COUNTS", "SKAN_CONSOLE",
        "SKAN_NETWORK", "SKAN_TRUST_TEST_KEY", "SKAN_SIGNING_KEYS", "SKAN_TOKENS", "SKAN_SIGN_RATE", "SKAN_SCHEMA",
        "SKAN_CAMPAIGNS", "SKAN_CONSOLE_PLAIN_HTTP", "SKAN_TLS_CERTIFICATE", "SKAN_TLS_KEY",
        "SKAN_TRUSTED_PROXY", "SKAN_FORWARDING_FIELD", "SKAN_LOG_LEVEL", "SKAN_LOG_FORMAT", "SKAN_REQUIRE_SYNCHRONOUS",
    ]
    /// Variables that other commands, the samples and the tests read.
    private static let others = ["SKAN_TOKEN", "SKAN_SIGNER", "SKAN_FUZZ_CASES", "SKAN_FUZZ_SEED", "SKAN_SPEC"]

    /// Finds unknown variables that begin with `SKAN_`.
    ///
    /// - Throws: ``CommandFailure`` naming all of them, each with the nearest known name.
    static func check(_ environment: [String: String]) throws(CommandFailure) {
        let unknown = environment.keys.filter {
            $0.hasPrefix("SKAN_") && !(settings + others).contains($0) && !isOfKubernetes($0)
        }
        guard !unknown.isEmpty else {
            return
        }
        let names = unknown.sorted().map { $0 + settings.suggestion(for: $0) }
        throw CommandFailure(
            "unknown environment variable \(names.joined(separator: "; "))", hint: "skan help serve")
    }

    /// Whether Kubernetes sets it in every pod for a service whose name begins with `skan`, such as
    /// `SKAN_SERVICE_HOST`, `SKAN_PORT` and `SKAN_PORT_8080_TCP_ADDR`.
    ///
    /// - SeeAlso: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    private static func isOfKubernetes(_ name: String) -> Bool {
        name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.hasSuffix("_PORT")
            || name.contains("_PORT_")
    }
}
