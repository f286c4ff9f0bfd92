import Attribution
import AttributionSigning
import AttributionStore
import Logging
import Synchronization

/// Apple's keys that a server verifies with, built in and added, and their way into the store.
///
/// The store is asked to keep added keys before they are used, and again each second until it has.
final class AppleKeysInUse: Sendable {
    let verifier: PostbackVerifier
    private let ledger: any LedgerWriting
    private let logger: Logger
    private let unkept = Mutex<[AppleKeyRecord]>([])

    /// Begins with the keys of a verifier, and names them in the log.
    init(_ verifier: PostbackVerifier, ledger: any LedgerWriting, warnings: [String], logger: Logger) {
        (self.verifier, self.ledger, self.logger) = (verifier, ledger, logger)
        keep(verifier.added)
        log(warnings)
    }

    /// A verifier with other added keys, to be used when all else that is read again can be used, too.
    func prepared(_ keys: AppleKeySet) throws -> PostbackVerifier {
        try verifier.replacing(added: keys.records)
    }

    /// Uses the keys of a verifier from the next batch on.
    func use(_ fresh: PostbackVerifier, warnings: [String]) {
        keep(fresh.added)
        verifier.use(fresh)
        logger.notice("Apple's keys read again", metadata: ["added": "\(fresh.appleKeys.count(where: \.isAdded))"])
        log(warnings)
    }

    /// Asks the store again to keep what it could not.
    func heartbeat() {
        let keys = unkept.withLock { $0 }
        guard !keys.isEmpty else {
            return
        }
        try? store(keys)
    }

    private func keep(_ keys: [AppleKeyRecord]) {
        unkept.withLock { $0 = keys }
        do {
            try store(keys)
        } catch {
            logger.error("added keys are not kept in the store yet", error: error)
        }
    }

    private func store(_ keys: [AppleKeyRecord]) throws {
        try ledger.keep(keys)
        unkept.withLock { unkept in
            // Others may have been read meanwhile.
            if unkept == keys {
                unkept = []
            }
        }
    }

    private func log(_ warnings: [String]) {
        for key in verifier.appleKeys {
            logger.notice("key of Apple's", metadata: ["name": "\(key.name)", "verifies": "\(key.summary)"])
        }
        for warning in warnings {
            logger.warning("\(warning)")
        }
    }
}
