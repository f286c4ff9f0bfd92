import ArgumentParser
import AttributionIngest
import AttributionSigning
import AttributionStore

/// The keys that verify postbacks besides Apple's built-in ones.
struct PostbackKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("trust-test-key"), parsing: .singleValue,
        help:
            "A public key file whose postbacks are accepted and marked as test; may be repeated (or SKAN_TRUST_TEST_KEY).",
        completion: .file()
    )
    var files: [String] = []

    @OptionGroup var appleKeys: AppleKeysOption

    /// The files of the test keys: `--trust-test-key`, otherwise `SKAN_TRUST_TEST_KEY`.
    var testKeys: [String] {
        files.isEmpty ? EnvironmentSettings().list("trust.test.key") : files
    }

    /// A verifier with these keys, for what a command judges without a server.
    func verifier() throws -> PostbackVerifier {
        let testKeys = try testKeys.map { try SignaturePublicKey(file: $0) }
        let added = try appleKeys.keys(besides: testKeys)
        added?.warnings.forEach { Terminal.say("skan: warning: \($0)") }
        return try PostbackVerifier(testKeys: testKeys, added: added?.records ?? [])
    }

    /// A verifier with these keys and those that a store remembers.
    func verifier(remembering reader: any LedgerReading) async throws -> PostbackVerifier {
        let verifier = try await verifier().remembering(reader)
        try? verifier.prepareTables()
        return verifier
    }
}

/// The list of keys that are added to Apple's: `--apple-keys`, otherwise `SKAN_APPLE_KEYS`.
struct AppleKeysOption: ParsableArguments {
    @Option(
        name: .customLong("apple-keys"),
        help: "List of keys that are added to Apple's built-in ones (JSON; or SKAN_APPLE_KEYS).", completion: .file())
    var flag: String?

    /// The file; nil if there is neither flag nor variable.
    var file: String? {
        flag ?? EnvironmentSettings().text("apple.keys")
    }

    /// The keys of the file; nil without one.
    func keys(besides testKeys: [SignaturePublicKey] = []) throws -> AppleKeySet? {
        try file.map { try AppleKeySet(file: $0, testKeys: testKeys) }
    }
}
