import ArgumentParser

/// The store a command applies to: `--store`, otherwise `SKAN_STORE`.
struct StoreOption: ParsableArguments {
    @Option(
        name: [.customLong("store"), .customShort("s")], help: "The store's file (or SKAN_STORE).", completion: .file())
    var file: String?

    /// The store's file.
    var path: String {
        get throws {
            guard let path = file ?? EnvironmentSettings().text("store"), !path.isEmpty else {
                throw CommandFailure("expected --store FILE", hint: "or name the store once: export SKAN_STORE=FILE")
            }
            return path
        }
    }
}
