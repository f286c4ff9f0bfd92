import ArgumentParser
import AttributionServer
import AttributionStore

/// The store a command applies to, in a file or a database: `--store`, otherwise `SKAN_STORE`.
struct StoreOption: ParsableArguments {
    /// Whether a word where none is expected was meant as a store; an address of a database is not repeated.
    static func isMeant(by word: String) -> Bool {
        word.hasSuffix(".sqlite") && !word.contains("://")
    }

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: a file, or postgresql://HOST/DATABASE (or SKAN_STORE).", completion: .file())
    var file: String?

    /// Where the store is; what was given is not shown, because an address may hold a password.
    var location: StoreLocation {
        get throws { try StoreLocation(given: file) }
    }

    /// A reader of the store.
    var reader: any LedgerReading {
        get throws { try location.makeReader() }
    }
}

/// The store a command applies to that can do nothing with databases: `--store`, otherwise `SKAN_STORE`.
struct StoreFileOption: ParsableArguments {
    @Option(
        name: [.customLong("store"), .customShort("s")], help: "The store's file (or SKAN_STORE).", completion: .file())
    var file: String?

    /// The file's path.
    ///
    /// - Parameter cure: What to do with a database instead.
    /// - Returns: The path.
    /// - Throws: ``CommandFailure``, for a database too.
    func path(cure: String) throws -> String {
        try StoreLocation(given: file).path(cure: cure)
    }
}

extension StoreLocation {
    /// Where `--store` says, otherwise `SKAN_STORE`.
    init(given text: String?) throws {
        guard let text = text ?? EnvironmentSettings().text("store"), !text.isEmpty else {
            throw CommandFailure("expected --store FILE", hint: "or name the store once: export SKAN_STORE=FILE")
        }
        self = try StoreLocation(text)
    }

    /// The path of a store in a file, for a command that can do nothing with databases.
    ///
    /// - Parameter cure: What to do with a database instead.
    /// - Returns: The path.
    /// - Throws: ``CommandFailure``, for a database.
    func path(cure: String) throws(CommandFailure) -> String {
        guard case .file(let path) = self else {
            throw CommandFailure("\(name) is a database, and this command is for stores in files", hint: cure)
        }
        return path
    }
}
