import ArgumentParser
import AttributionSigning

/// Which test keys are trusted besides Apple's.
struct TestKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("trust-test-key"), parsing: .singleValue,
        help: "A public key file whose postbacks are accepted and marked as test; may be repeated.")
    var files: [String] = []

    func verifier() throws -> PostbackVerifier {
        try PostbackVerifier(testKeys: try files.map { try SignaturePublicKey(file: $0) })
    }
}
