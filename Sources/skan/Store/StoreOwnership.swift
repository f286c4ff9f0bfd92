import AttributionConsole
import AttributionIngest
import AttributionServer
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import SQLiteStore

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

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - here: Makes it in this process, or throws ``AttributionStore/StoreError/inUse(path:)`` if there is an owner.
    ///   - owner: Has the owner make it.
    /// - Returns: The result.
    /// - Throws: The error of either.
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
                result = try await here(StoreMaintenance(ledger: ledger, verifier: try verifier()))
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
