import ArgumentParser

/// The key list to sign with: `--keys`, otherwise `SKAN_SIGNING_KEYS`.
struct SigningKeysOption: ParsableArguments {
    @Option(
        name: [.customLong("keys"), .customLong("signing-keys")],
        help: "Key list (JSON; or SKAN_SIGNING_KEYS).",
        completion: .file())
    var flag: String?

    /// The list, or nil when there is neither flag nor variable.
    ///
    /// With a single key, only the flag counts, because the variable may be set for a server.
    func file(besides key: String?) -> String? {
        flag ?? (key == nil ? EnvironmentSettings().text("signing.keys") : nil)
    }
}
