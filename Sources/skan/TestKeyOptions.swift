import ArgumentParser
import AttributionSigning

/// The test keys trusted besides Apple's: `--trust-test-key`, otherwise `SKAN_TRUST_TEST_KEY`.
struct TestKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("trust-test-key"), parsing: .singleValue,
        help:
            "A public key file whose postbacks are accepted and marked as test; may be repeated (or SKAN_TRUST_TEST_KEY).",
        completion: .file()
    )
    var files: [String] = []

    /// The key files.
    var all: [String] {
        files.isEmpty ? EnvironmentSettings().list("trust.test.key") : files
    }

    func verifier() throws -> PostbackVerifier {
        try PostbackVerifier(testKeys: try all.map { try SignaturePublicKey(file: $0) })
    }
}
