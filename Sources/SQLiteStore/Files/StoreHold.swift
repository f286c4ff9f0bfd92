package import AttributionStore
import CheckedFiles

/// The lease of a store, held while another of its owner's files is changed, or while it must have no owner.
package final class StoreHold: Sendable {
    private let lease: StoreLease

    /// Acquires the lease.
    ///
    /// - Parameter path: An existing store.
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if it has an owner.
    package init(_ path: String) throws(StoreError) {
        let path = try ResolvedPath(store: path).text
        guard let lease = try StoreFile.open(path, isWritable: true).leaseExclusively() else {
            throw .inUse(path: path)
        }
        self.lease = lease
    }

    /// Keeps owners out of a store that is only read.
    ///
    /// - Parameter path: An existing store.
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if it has an owner.
    package init(reading path: String) throws(StoreError) {
        let path = try ResolvedPath(store: path).text
        guard let lease = try StoreFile.open(path, isWritable: false).leaseShared() else {
            throw .inUse(path: path)
        }
        self.lease = lease
    }

    /// Releases the lease.
    package func release() {
        lease.release()
    }
}
