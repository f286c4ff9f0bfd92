import ArgumentParser
import AttributionServer
import AttributionStore

/// The store a command applies to: `--store`, otherwise `SKAN_STORE`.
struct StoreOption: ParsableArguments {
    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: a file, or postgresql://HOST/DATABASE (or SKAN_STORE).", completion: .file())
    var file: String?

    /// The store's file, or its address.
    var path: String {
        get throws {
            guard let path = file ?? EnvironmentSettings().text("store"), !path.isEmpty else {
                throw CommandFailure("expected --store FILE", hint: "or name the store once: export SKAN_STORE=FILE")
            }
            return path
        }
    }

    /// Where the store is.
    var location: StoreLocation {
        get throws { try StoreLocation(path) }
    }

    /// A reader of the store.
    var reader: any LedgerReading {
        get throws { try location.makeReader() }
    }
}
