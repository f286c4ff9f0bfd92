import ArgumentParser
import AttributionConsole
import AttributionIngest
import AttributionServer
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import SQLiteStore

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

    var reader: any LedgerReading {
        get throws { try location.makeReader() }
    }
}

/// How many of the oldest a command applies to: `--limit`, otherwise all.
struct LimitOption: ParsableArguments {
    @Option(help: "Maximum number, oldest first (default: all).")
    var limit: Int?

    var count: Int {
        limit ?? .max
    }

    func validate() throws {
        guard count > 0 else {
            throw ValidationError("expected --limit 1 or more")
        }
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

    /// The path of a store in a file; a database is refused with what to do instead.
    func path(cure: String) throws(CommandFailure) -> String {
        guard case .file(let path) = self else {
            throw CommandFailure("\(name) is a database, and this command is for stores in files", hint: cure)
        }
        return path
    }
}

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Move a store: from a file into a database, or back.",
        subcommands: [StoreCopyCommand.self])
}

/// The way to change a store: a file by its owner when it has one, and else as its owner; a database at once.
struct StoreOwnership {
    /// The store's file, with links resolved, or its address without secrets.
    let store: String
    /// Where the store is.
    let location: StoreLocation

    /// Names a store, which must exist, so that a misspelled path does not create one.
    init(_ given: StoreLocation) throws {
        switch given {
        case .file(let path):
            store = try SQLiteLedgerReader(path).path
            location = .file(store)
        case .database(let address):
            store = address.description
            location = .database(address)
        }
    }

    /// Makes a change in this process, or has the owner make it if there is one (``StoreError/inUse(path:)``).
    func change<Result>(
        here: () async throws -> Result,
        owner: (OwnerClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await here()
        } catch StoreError.inUse {
            let result = try await owner(OwnerClient(store: store))
            Terminal.say("skan: done by the process that has the store open")
            return result
        }
    }

    /// Makes a change that needs a writer and a verifier.
    func maintain<Result>(
        verifier: () throws -> PostbackVerifier,
        here: (StoreMaintenance) async throws -> Result,
        owner: (OwnerClient) async throws -> Result
    ) async throws -> Result {
        try await change {
            let ledger = try location.makeWriter(onEvent: Self.say)
            let result: Result
            do {
                let verifier = try verifier()
                try ledger.keep(verifier.added)
                result = try await here(StoreMaintenance(ledger: ledger, verifier: verifier))
            } catch {
                _ = try? ledger.close()
                throw error
            }
            if case .logLeft(let reason) = try ledger.close() {
                Terminal.say("skan: warning: the newest of \(store) is in \(store)-wal: \(reason)")
            }
            return result
        } owner: {
            try await owner($0)
        }
    }

    /// Prints an event that a server would log.
    @Sendable static func say(_ event: StoreEvent) {
        Terminal.say("skan: \(event.isError ? "error" : "warning"): \(event.message)")
    }
}
