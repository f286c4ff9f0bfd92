package import AttributionStore
package import CheckedFiles

extension ResolvedPath {
    /// Resolves the path of a store, beside which SQLite's files and the owner's socket are.
    ///
    /// - Parameter path: The store's file; it need not exist.
    /// - Throws: ``AttributionStore/StoreError/noFolder(path:folder:)`` or
    ///   ``AttributionStore/StoreError/cannotOpen(path:reason:)``.
    package init(store path: String) throws(StoreError) {
        do throws(Problem) {
            try self.init(path)
        } catch {
            guard let folder = error.missingFolder else {
                throw .cannotOpen(path: path, reason: error.reason)
            }
            throw .noFolder(path: path, folder: folder)
        }
    }
}
