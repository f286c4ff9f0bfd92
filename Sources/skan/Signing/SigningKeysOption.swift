import ArgumentParser

/// Which list of keys signs: `--keys`, else `SKAN_SIGNING_KEYS`.
struct SigningKeysOption: ParsableArguments {
    @Option(
        name: [.customLong("keys"), .customLong("signing-keys")],
        help: "List of keys (JSON), from which the active one is taken (or SKAN_SIGNING_KEYS).",
        completion: .file())
    var flag: String?

    /// The list, or nil when there is neither flag nor variable.
    ///
    /// Besides a single key only the flag counts: a variable that is set for a server does not contradict it.
    func file(besides key: String?) -> String? {
        flag ?? (key == nil ? EnvironmentSettings().text("signing.keys") : nil)
    }
}
