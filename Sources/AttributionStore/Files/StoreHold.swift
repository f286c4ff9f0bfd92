/// The lease of a store, held while something beside it is changed that belongs to its owner too.
package final class StoreHold: Sendable {
    private let lease: StoreLease

    /// Takes the lease.
    ///
    /// - Parameter path: A store that exists.
    /// - Throws: ``StoreError/inUse(path:)`` when it has an owner, under whatever name.
    package init(_ path: String) throws(StoreError) {
        let path = try OwnedDatabase.resolved(path)
        guard let lease = try StoreFile.open(path, isWritable: true).leaseExclusively() else {
            throw .inUse(path: path)
        }
        self.lease = lease
    }

    /// Gives the lease back.
    package func release() {
        lease.release()
    }
}
